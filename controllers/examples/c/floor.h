/* Interfaces between the files of a floor-protocol table in C99: no library, and no malloc. */
#ifndef FLOOR_H
#define FLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* hmac.c: how does a table prove its key? HMAC-SHA256 of at most 128 bytes. */
enum { KEY = 32, MAC = 32 };
void hmac_sha256(const uint8_t key[KEY], const uint8_t *said, size_t size, uint8_t mac[MAC]);

/* pack.c: how do values become MessagePack, and back? As much of it as the protocol uses. */
struct out { uint8_t *data; size_t size, most; bool bad; }; /* bad: it did not fit */
struct in { const uint8_t *at, *end; bool bad; }; /* bad: it was not what was asked for, or ended too soon */
struct text { const uint8_t *data; size_t size; }; /* text or bytes, in place: not ended by a zero */

void put_map(struct out *out, uint32_t entries);
void put_list(struct out *out, uint32_t items);
void put_text(struct out *out, const char *text);
void put_bytes(struct out *out, const uint8_t *bytes, size_t size);
void put_number(struct out *out, uint64_t value);
void put_long(struct out *out, uint64_t value); /* always 9 bytes, so that another one fits in its place */
void put_true(struct out *out);
bool is_map(const struct in *in);
uint32_t take_map(struct in *in);
uint32_t take_list(struct in *in);
uint64_t take_number(struct in *in);
struct text take_text(struct in *in);
bool take_bool(struct in *in);
void skip(struct in *in);
bool is(struct text text, const char *word);
void copy(char *to, size_t most, struct text text); /* ended by a zero; empty where it does not fit */

/* table.c: how does a table keep its side? One command is unanswered at a time, although the protocol allows
 * 64: a round is two commands. TLS is a matter of the device's own library: this speaks plain TCP. */
enum { FRAME_MAX = 65536, COMMAND_MAX = 2000, LINKS_MAX = 8, SERVERS_MAX = 16, NAME = 65, PLACE = 96 };
enum { LAMPS_MAX = 24 }; /* awards of one settlement: three seats with eight links each */

struct memory { /* what survives a power loss. size: of the unanswered command, 0 for none */
    uint32_t sum, turn;
    uint64_t acked;
    uint32_t size, seq_at; /* seq_at: where in the command the 8 bytes of its number stand */
    uint8_t command[COMMAND_MAX];
};
struct link {
    char name[NAME];
    uint64_t wager, most, unit; /* cents; most and unit: of an offer, 0 of a link with levels */
    bool active, count;         /* count: the dealer's count comes with the lock */
    bool dealer, bonus, players; /* what its wagers need besides each seat's cards and the board */
};
struct servers {
    char place[SERVERS_MAX][PLACE]; /* host:port */
    int count;
};
struct lamps { char award[LAMPS_MAX][NAME]; int count; }; /* of awards whose lamps are to be lit, and told of */
struct table {
    char id[NAME];
    uint8_t key[KEY];
    struct memory memory;
    struct servers servers;
    int server, file, socket, failures; /* file: of the memory. socket: -1 while there is none */
    bool welcomed, replaced, last_follows;
    int64_t connect_at, heard_at, said_at, sent_at, heartbeat; /* milliseconds, monotonic */
    struct link links[LINKS_MAX];
    int link_count;
    bool held;        /* people must look at the table before its next round */
    char round[NAME]; /* the round that is neither closed nor void, "" for none */
    unsigned answered; /* counts the answers; what follows is of the last one */
    uint64_t answer_seq;
    bool acked;
    struct lamps lamps; /* of the newest settlement that won something */
    char code[NAME], named[NAME]; /* named: the link that is suspended, "" for none */
    uint8_t in[4 + FRAME_MAX];
    size_t in_size;
};

int64_t now_ms(void);
uint32_t chance(uint32_t below);
/* key: 64 hex digits. servers: host:port, separated by commas. False where one of them is wrong. */
bool table_open(struct table *table, const char *id, const char *key, const char *servers, const char *path);
void table_turn(struct table *table, int64_t most); /* does what is due; waits at most so many ms */
bool table_free(const struct table *table);         /* no command is unanswered */
bool table_online(const struct table *table);       /* progressive wagers may be taken */
/* Begins a command: put its `fields`, then give it. False where it is too long, or cannot be kept. */
struct out table_begin(struct table *table, const char *type, uint32_t fields);
bool table_give(struct table *table, const struct out *command);

#endif
