/* Reads lines of "mac KEY SAID" or "frame PAYLOAD" in hex; prints the mac, or the payload as it was read and written. */
#include <stdio.h>
#include <string.h>

#include "floor.h"

static size_t bytes_of(const char *hex, uint8_t *bytes) {
    size_t size = 0;
    unsigned byte;
    while (sscanf(hex + 2 * size, "%2x", &byte) == 1) bytes[size++] = (uint8_t)byte;
    return size;
}

static void print(const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) printf("%02x", bytes[i]);
    putchar('\n');
}

/* A value read and written again; what the library has no writer for is copied. */
static void again(struct in *in, struct out *out) {
    const uint8_t *before = in->at;
    uint8_t code = *before;
    char text[256];
    if (code < 0x80 || (code >= 0xcc && code <= 0xcf)) put_number(out, take_number(in));
    else if (is_map(in)) {
        uint32_t left = take_map(in);
        put_map(out, left);
        for (left *= 2; left > 0; left--) again(in, out);
    } else if ((code & 0xf0) == 0x90 || code == 0xdc) {
        uint32_t left = take_list(in);
        put_list(out, left);
        for (; left > 0; left--) again(in, out);
    } else if ((code & 0xe0) == 0xa0 || code == 0xd9) {
        copy(text, sizeof text, take_text(in));
        put_text(out, text);
    } else if (code == 0xc4) {
        struct text bytes = take_text(in);
        put_bytes(out, bytes.data, bytes.size);
    } else if (code == 0xc3) {
        take_bool(in);
        put_true(out);
    } else {
        skip(in);
        memcpy(out->data + out->size, before, (size_t)(in->at - before));
        out->size += (size_t)(in->at - before);
    }
}

int main(void) {
    static char line[8192], kind[16], one[4096], two[4096];
    static uint8_t first[2048], second[2048], made[4096];
    while (fgets(line, sizeof line, stdin) != NULL) {
        int words = sscanf(line, "%15s %4095s %4095s", kind, one, two);
        size_t size = bytes_of(one, first);
        if (strcmp(kind, "mac") == 0 && words == 3) {
            hmac_sha256(first, second, bytes_of(two, second), made);
            print(made, MAC);
        } else {
            struct in in = {first, first + size, false}, passed = in;
            struct out out = {made, 0, sizeof made, false};
            skip(&passed);
            again(&in, &out);
            if (in.bad || out.bad || in.at != in.end || passed.bad || passed.at != passed.end) puts("bad");
            else print(made, out.size);
        }
    }
    return 0;
}
