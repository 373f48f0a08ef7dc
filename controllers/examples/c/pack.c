/* Encoder and decoder of MessagePack, as much of it as the floor protocol uses. */
#include "floor.h"
#include <string.h>

enum { DEEPEST = 64 };

static void put(struct out *out, const void *data, size_t size) {
    if (out->bad || size > out->most - out->size) {
        out->bad = true;
        return;
    }
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

/* A code, and a number of so many bytes behind it. */
static void put_sized(struct out *out, uint8_t code, uint64_t value, int bytes) {
    uint8_t made[9] = {code};
    for (int i = 0; i < bytes; i++) made[1 + i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
    put(out, made, 1 + (size_t)bytes);
}

static void put_counted(struct out *out, uint8_t small, uint8_t two, uint32_t count) {
    if (count < 16) put_sized(out, (uint8_t)(small | count), 0, 0);
    else put_sized(out, two, count, 2);
}

void put_map(struct out *out, uint32_t entries) { put_counted(out, 0x80, 0xde, entries); }
void put_list(struct out *out, uint32_t items) { put_counted(out, 0x90, 0xdc, items); }

void put_text(struct out *out, const char *text) {
    size_t size = strlen(text);
    if (size < 32) put_sized(out, (uint8_t)(0xa0 | size), 0, 0);
    else if (size < 256) put_sized(out, 0xd9, size, 1);
    else put_sized(out, 0xda, size, 2);
    put(out, text, size);
}

void put_bytes(struct out *out, const uint8_t *bytes, size_t size) {
    put_sized(out, 0xc4, size, 1);
    put(out, bytes, size);
}

void put_number(struct out *out, uint64_t value) {
    if (value < 0x80) put_sized(out, (uint8_t)value, 0, 0);
    else if (value <= 0xff) put_sized(out, 0xcc, value, 1);
    else if (value <= 0xffff) put_sized(out, 0xcd, value, 2);
    else if (value <= 0xffffffff) put_sized(out, 0xce, value, 4);
    else put_long(out, value);
}

void put_long(struct out *out, uint64_t value) { put_sized(out, 0xcf, value, 8); }
void put_true(struct out *out) { put_sized(out, 0xc3, 0, 0); }

static uint64_t sized(struct in *in, size_t bytes) {
    uint64_t value = 0;
    if (in->bad || (size_t)(in->end - in->at) < bytes) {
        in->bad = true;
        return 0;
    }
    while (bytes--) value = value << 8 | *in->at++;
    return value;
}

static uint8_t next(const struct in *in) { return in->bad || in->at == in->end ? 0xc1 : *in->at; }

bool is_map(const struct in *in) { return (next(in) & 0xf0) == 0x80 || next(in) == 0xde || next(in) == 0xdf; }

/* How many of a kind with a short form of 16 and forms of two and four bytes. */
static uint32_t counted(struct in *in, uint8_t small, uint8_t two) {
    uint8_t code = (uint8_t)sized(in, 1);
    if ((code & 0xf0) == small) return code & 0x0f;
    if (code == two) return (uint32_t)sized(in, 2);
    if (code == two + 1) return (uint32_t)sized(in, 4);
    in->bad = true;
    return 0;
}

uint32_t take_map(struct in *in) { return counted(in, 0x80, 0xde); }
uint32_t take_list(struct in *in) { return counted(in, 0x90, 0xdc); }

uint64_t take_number(struct in *in) {
    uint8_t code = (uint8_t)sized(in, 1);
    if (code < 0x80) return code;
    if (code >= 0xcc && code <= 0xcf) return sized(in, (size_t)1 << (code - 0xcc));
    in->bad = true;
    return 0;
}

struct text take_text(struct in *in) {
    struct text found = {in->at, 0};
    uint8_t code = (uint8_t)sized(in, 1);
    if ((code & 0xe0) == 0xa0) found.size = code & 0x1f;
    else if (code >= 0xc4 && code <= 0xc6) found.size = sized(in, (size_t)1 << (code - 0xc4));
    else if (code >= 0xd9 && code <= 0xdb) found.size = sized(in, (size_t)1 << (code - 0xd9));
    else in->bad = true;
    if ((size_t)(in->end - in->at) < found.size) in->bad = true;
    if (in->bad) found.size = 0;
    found.data = in->at;
    in->at += found.size;
    return found;
}

bool take_bool(struct in *in) {
    uint8_t code = (uint8_t)sized(in, 1);
    if (code != 0xc2 && code != 0xc3) in->bad = true;
    return code == 0xc3;
}

static void skip_deep(struct in *in, int depth) {
    uint8_t code = next(in);
    uint64_t items = 0;
    if (depth > DEEPEST) in->bad = true;
    else if (code < 0x80 || (code >= 0xcc && code <= 0xcf)) take_number(in);
    else if (code == 0xc0 || code == 0xc2 || code == 0xc3) sized(in, 1);
    else if (is_map(in)) items = 2 * (uint64_t)take_map(in);
    else if ((code & 0xf0) == 0x90 || code == 0xdc || code == 0xdd) items = take_list(in);
    else take_text(in); /* also says of what else there is that it is bad */
    while (items-- && !in->bad) skip_deep(in, depth + 1);
}

void skip(struct in *in) { skip_deep(in, 0); }

bool is(struct text text, const char *word) {
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

void copy(char *to, size_t most, struct text text) {
    size_t size = text.size < most ? text.size : 0;
    memcpy(to, text.data, size);
    to[size] = 0;
}
