/* HMAC-SHA256, written out. */
#include "floor.h"

#include <string.h>

enum { BLOCK = 64, SAID_MAX = 128 };

static const uint32_t ROUNDS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t value, int by) { return value >> by | value << (32 - by); }

static void mix(uint32_t state[8], const uint8_t block[BLOCK]) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25);
        uint32_t one = v[7] + a + ((v[4] & v[5]) ^ (~v[4] & v[6])) + ROUNDS[i] + w[i];
        uint32_t b = turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22);
        uint32_t two = b + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

/* SHA-256 of one whole block and `size` bytes behind it. */
static void sha256(const uint8_t first[BLOCK], const uint8_t *rest, size_t size, uint8_t out[32]) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t last[BLOCK] = {0};
    uint64_t bits = 8 * (BLOCK + (uint64_t)size);
    mix(state, first);
    for (; size >= BLOCK; rest += BLOCK, size -= BLOCK) mix(state, rest);
    memcpy(last, rest, size);
    last[size] = 0x80;
    if (size >= BLOCK - 8) mix(state, last), memset(last, 0, sizeof last);
    for (int i = 0; i < 8; i++) last[BLOCK - 1 - i] = (uint8_t)(bits >> 8 * i);
    mix(state, last);
    for (int i = 0; i < 32; i++) out[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void hmac_sha256(const uint8_t key[KEY], const uint8_t *said, size_t size, uint8_t mac[MAC]) {
    uint8_t inner[BLOCK], outer[BLOCK], between[32];
    memset(inner, 0x36, BLOCK);
    memset(outer, 0x5c, BLOCK);
    for (int i = 0; i < KEY; i++) inner[i] ^= key[i], outer[i] ^= key[i];
    sha256(inner, said, size <= SAID_MAX ? size : SAID_MAX, between);
    sha256(outer, between, sizeof between, mac);
}
