/* The table's side of the floor protocol: connection, hello, numbers, resends, back-off, silence. */
#define _DEFAULT_SOURCE /* POSIX, and getentropy */
#include "floor.h"
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { CONNECT_S = 5, NONCE = 16, HEARTBEAT_MS = 5000, SILENT_HEARTBEATS = 2 }; /* until the welcome says more */
enum { FIRST_WAIT_MS = 200, LONGEST_WAIT_MS = 10000, REPLACED_WAIT_MS = 30000 };

/* A message of the server: what this table wants to know of it. */
struct message {
    char t[16], code[NAME], text[128], round[NAME], state[16], link[NAME];
    uint64_t v, seq, expected, last_seq, heartbeat, at; /* expected: 0 for none */
    bool has_at, held, last_follows;
    struct text nonce;
    struct link links[LINKS_MAX];
    int link_count;
    struct servers servers;
    struct lamps lamps; /* of the awards of an answer */
};

int64_t now_ms(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (int64_t)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

uint32_t chance(uint32_t below) {
    uint32_t value = 0;
    return getentropy(&value, sizeof value) == 0 ? value % below : 0;
}

/* Connections */

static void add(struct servers *servers, struct text place) {
    char name[PLACE];
    copy(name, PLACE, place);
    for (int i = 0; i < servers->count; i++)
        if (strcmp(servers->place[i], name) == 0) return;
    if (name[0] && servers->count < SERVERS_MAX) strcpy(servers->place[servers->count++], name);
}

/* The connection is gone, or there was none; why, where it is a fault. Each server is tried before one is tried again. */
static void drop(struct table *table, const char *why) {
    if (why[0]) fprintf(stderr, "%s\n", why);
    int64_t wait = FIRST_WAIT_MS << (table->failures < 6 ? table->failures++ : 6);
    if (wait > LONGEST_WAIT_MS) wait = LONGEST_WAIT_MS;
    wait = wait / 2 + chance((uint32_t)wait / 2);
    table->connect_at = now_ms() + (table->replaced ? REPLACED_WAIT_MS : wait);
    if (table->socket >= 0) close(table->socket);
    if (!table->welcomed) table->server = (table->server + 1) % table->servers.count;
    table->socket = -1;
    table->welcomed = table->replaced = false;
}

static void dial(struct table *table) {
    struct addrinfo hints = {0}, *found = NULL;
    struct timeval most = {CONNECT_S, 0}; /* of a connect, and of a write */
    char place[PLACE], *host = place, *port;
    int one = 1;
    strcpy(place, table->servers.place[table->server]);
    hints.ai_socktype = SOCK_STREAM;
    if ((port = strrchr(place, ':')) != NULL) *port++ = 0;
    if (*host == '[') host++, host[strcspn(host, "]")] = 0;
    if (port == NULL || getaddrinfo(host, port, &hints, &found) != 0) found = NULL;
    for (struct addrinfo *at = found; at != NULL && table->socket < 0; at = at->ai_next) {
        int made = socket(at->ai_family, at->ai_socktype, 0);
        setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
        setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (connect(made, at->ai_addr, at->ai_addrlen) == 0) table->socket = made;
        else if (made >= 0) close(made);
    }
    if (found != NULL) freeaddrinfo(found);
    table->heard_at = table->said_at = now_ms();
    table->in_size = 0;
    if (table->socket < 0) drop(table, "no connection");
}

static void say(struct table *table, const uint8_t *payload, size_t size) {
    uint8_t frame[4 + COMMAND_MAX] = {0, 0, (uint8_t)(size >> 8), (uint8_t)size};
    memcpy(frame + 4, payload, size);
    table->said_at = now_ms();
    if (table->socket >= 0 && send(table->socket, frame, 4 + size, MSG_NOSIGNAL) != (ssize_t)(4 + size))
        drop(table, "");
}

static void say_pending(struct table *table) {
    table->sent_at = now_ms();
    say(table, table->memory.command, table->memory.size);
}

static void say_at(struct table *table, const char *type, bool has_at, uint64_t at) {
    uint8_t bytes[64];
    struct out out = {bytes, 0, sizeof bytes, false};
    put_map(&out, has_at ? 2 : 1);
    put_text(&out, "t"), put_text(&out, type);
    if (has_at) put_text(&out, "at"), put_number(&out, at);
    say(table, bytes, out.size);
}

/* What the server says */

static void read_needs(struct in *in, struct link *link) {
    for (uint32_t left = take_list(in); left > 0 && !in->bad; left--) {
        struct text need = take_text(in);
        link->dealer |= is(need, "dealer"), link->bonus |= is(need, "bonus"), link->players |= is(need, "players");
    }
}

static void read_link(struct in *in, struct link *link) {
    for (uint32_t left = take_map(in); left > 0 && !in->bad; left--) {
        struct text key = take_text(in);
        if (is(key, "link")) copy(link->name, NAME, take_text(in));
        else if (is(key, "wager")) link->wager = take_number(in);
        else if (is(key, "most")) link->most = take_number(in);
        else if (is(key, "unit")) link->unit = take_number(in);
        else if (is(key, "count")) link->count = take_bool(in);
        else if (is(key, "state")) link->active = is(take_text(in), "active");
        else if (is(key, "needs")) read_needs(in, link);
        else skip(in);
    }
}

/* The welcome's round is a map, the id within it; elsewhere it is the id. */
static void read_round(struct in *in, char round[NAME]) {
    if (!is_map(in)) copy(round, NAME, take_text(in));
    else for (uint32_t left = take_map(in); left > 0 && !in->bad; left--) {
        if (is(take_text(in), "round")) copy(round, NAME, take_text(in));
        else skip(in);
    }
}

static void read_awards(struct in *in, struct lamps *lamps) {
    for (uint32_t awards = take_list(in); awards > 0 && lamps->count < LAMPS_MAX && !in->bad; awards--) {
        for (uint32_t left = take_map(in); left > 0 && !in->bad; left--) {
            if (is(take_text(in), "award")) copy(lamps->award[lamps->count], NAME, take_text(in));
            else skip(in);
        }
        lamps->count++;
    }
}

static void read_field(struct in *in, struct text key, struct message *found) {
    if (is(key, "t")) copy(found->t, sizeof found->t, take_text(in));
    else if (is(key, "v")) found->v = take_number(in);
    else if (is(key, "seq")) found->seq = take_number(in);
    else if (is(key, "at")) found->has_at = true, found->at = take_number(in);
    else if (is(key, "expected")) found->expected = take_number(in);
    else if (is(key, "last_seq")) found->last_seq = take_number(in);
    else if (is(key, "last_follows")) found->last_follows = take_bool(in);
    else if (is(key, "heartbeat_ms")) found->heartbeat = take_number(in);
    else if (is(key, "held")) found->held = take_bool(in);
    else if (is(key, "nonce")) found->nonce = take_text(in);
    else if (is(key, "code")) copy(found->code, NAME, take_text(in));
    else if (is(key, "message")) copy(found->text, sizeof found->text, take_text(in));
    else if (is(key, "round")) read_round(in, found->round);
    else if (is(key, "state")) copy(found->state, sizeof found->state, take_text(in));
    else if (is(key, "link")) copy(found->link, NAME, take_text(in));
    else if (is(key, "awards")) read_awards(in, &found->lamps);
    else if (is(key, "servers"))
        for (uint32_t left = take_list(in); left > 0 && !in->bad; left--) add(&found->servers, take_text(in));
    else if (is(key, "links"))
        for (uint32_t left = take_list(in); left > 0 && found->link_count < LINKS_MAX; left--)
            read_link(in, &found->links[found->link_count++]);
}

static bool read_message(const uint8_t *payload, size_t size, struct message *found) {
    struct in in = {payload, payload + size, false};
    memset(found, 0, sizeof *found);
    for (uint32_t left = take_map(&in); left > 0 && !in.bad; left--) {
        struct text key = take_text(&in);
        struct in value = in;
        skip(&in);
        if (!in.bad) read_field(&value, key, found); /* of another type it is as if it were not there */
    }
    return !in.bad && in.at == in.end;
}

static void greet(struct table *table, const struct message *challenge) {
    uint8_t said[NONCE + 6 + NAME], mac[MAC], bytes[256];
    struct out out = {bytes, 0, sizeof bytes, false};
    size_t size = strlen(table->id);
    if (challenge->v != 1 || challenge->nonce.size != NONCE) {
        drop(table, "a challenge that is not of version 1");
        return;
    }
    memcpy(said, challenge->nonce.data, NONCE);
    memcpy(said + NONCE, "table", 6); /* with its zero */
    memcpy(said + NONCE + 6, table->id, size);
    hmac_sha256(table->key, said, NONCE + 6 + size, mac);
    put_map(&out, 6);
    put_text(&out, "t"), put_text(&out, "hello"), put_text(&out, "v"), put_number(&out, 1);
    put_text(&out, "role"), put_text(&out, "table"), put_text(&out, "id"), put_text(&out, table->id);
    put_text(&out, "mac"), put_bytes(&out, mac, sizeof mac);
    put_text(&out, "acked"), put_number(&out, table->memory.acked);
    say(table, bytes, out.size);
}

static uint32_t sum_of(const struct memory *memory) {
    uint32_t sum = 2166136261; /* FNV-1a */
    for (size_t i = sizeof memory->sum; i < sizeof *memory; i++) sum = (sum ^ ((const uint8_t *)memory)[i]) * 16777619;
    return sum;
}

/* Returns once it is on the disk: only then may anything be said, or believed. Two places are written in turn:
 * a write that a power loss tears leaves the other one whole. */
static bool save(struct table *table) {
    struct memory *memory = &table->memory;
    off_t at = (off_t)(++memory->turn % 2 * sizeof *memory);
    memory->sum = sum_of(memory);
    return pwrite(table->file, memory, sizeof *memory, at) == (ssize_t)sizeof *memory && fdatasync(table->file) == 0;
}

static bool load(struct table *table, const char *path) {
    struct memory found;
    table->file = open(path, O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 2 && table->file >= 0; i++)
        if (pread(table->file, &found, sizeof found, (off_t)(i * (int)sizeof found)) == (ssize_t)sizeof found &&
            found.sum == sum_of(&found) && found.turn > table->memory.turn)
            table->memory = found;
    return table->file >= 0;
}

/* Believes that all up to `acked` is answered; the unanswered command, if it is kept, is the next one. */
static bool believe(struct table *table, uint64_t acked, bool pending) {
    struct memory *memory = &table->memory;
    memory->acked = acked;
    if (!pending) memory->size = 0;
    for (uint32_t i = 0; i < 8 && memory->size; i++)
        memory->command[memory->seq_at + i] = (uint8_t)((acked + 1) >> (56 - 8 * i));
    if (save(table)) return true;
    drop(table, "the memory cannot be written");
    return false;
}

static void enter(struct table *table, const struct message *welcome) {
    const struct memory *memory = &table->memory;
    memcpy(table->links, welcome->links, sizeof table->links);
    table->link_count = welcome->link_count;
    table->heartbeat = (int64_t)welcome->heartbeat;
    table->held = welcome->held;
    strcpy(table->round, welcome->round);
    table->last_follows = welcome->last_follows;
    table->welcomed = true;
    table->failures = 0;
    /* People have confirmed what the ledger lost; or this memory is new, and the ledger knows better. */
    if (welcome->last_seq < memory->acked || (memory->size == 0 && welcome->last_seq > memory->acked))
        if (!believe(table, welcome->last_seq, true)) return;
    if (memory->size) say_pending(table);
}

static void answer_came(struct table *table, const struct message *answer) {
    const struct memory *memory = &table->memory;
    struct message sent;
    if (table->last_follows) { /* it belongs to the welcome; ours comes behind it */
        table->last_follows = false;
    } else if (memory->size == 0 || answer->seq != memory->acked + 1) {
        drop(table, "an answer that was not asked");
    } else if (strcmp(answer->code, "not_active") == 0) {
        table->welcomed = false; /* so that another server is tried */
        drop(table, "");
    } else if (strcmp(answer->code, "seq_gap") == 0) {
        if (believe(table, answer->expected - 1, true)) say_pending(table);
    } else if (read_message(memory->command, memory->size, &sent) &&
               believe(table, answer->expected ? answer->expected - 1 : answer->seq, false)) {
        table->answered++;
        table->answer_seq = answer->seq;
        table->acked = strcmp(answer->t, "ack") == 0;
        strcpy(table->code, answer->code), strcpy(table->named, answer->link);
        if (answer->lamps.count > 0) table->lamps = answer->lamps;
        bool lamp = strcmp(sent.t, "lamp") == 0; /* it is about no round */
        if (table->acked && !lamp) strcpy(table->round, strcmp(sent.t, "wager") == 0 ? sent.round : "");
    }
}

static void leave(struct table *table, const struct message *error) {
    for (int i = 0; i < error->servers.count; i++) {
        const char *place = error->servers.place[i];
        add(&table->servers, (struct text){(const uint8_t *)place, strlen(place)});
    }
    table->replaced = strcmp(error->code, "replaced") == 0;
    if (strcmp(error->code, "not_active") == 0) table->welcomed = false;
    drop(table, error->text);
}

static void hear(struct table *table, const uint8_t *payload, size_t size) {
    struct message found;
    if (!read_message(payload, size, &found)) drop(table, "a frame that cannot be read");
    else if (strcmp(found.t, "challenge") == 0) greet(table, &found);
    else if (strcmp(found.t, "welcome") == 0) enter(table, &found);
    else if (strcmp(found.t, "ping") == 0) say_at(table, "pong", found.has_at, found.at);
    else if (strcmp(found.t, "ack") == 0 || strcmp(found.t, "nack") == 0) answer_came(table, &found);
    else if (strcmp(found.t, "error") == 0) leave(table, &found);
    else if (strcmp(found.t, "status") == 0) table->held = false; /* the next wager says whether it is so */
    else if (strcmp(found.t, "round") == 0) {
        bool over = strcmp(found.state, "closed") == 0 || strcmp(found.state, "void") == 0;
        strcpy(table->round, over ? "" : found.round);
        table->held = false;
    } else if (strcmp(found.t, "link") == 0) {
        for (int i = 0; i < table->link_count; i++)
            if (strcmp(table->links[i].name, found.link) == 0)
                table->links[i].active = strcmp(found.state, "active") == 0;
    }
}

static void read_frames(struct table *table) {
    size_t at = 0;
    while (table->socket >= 0 && table->in_size - at >= 4) {
        const uint8_t *head = table->in + at;
        size_t size = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        if (size < 1 || size > FRAME_MAX) drop(table, "a frame of a forbidden length");
        if (table->socket < 0 || table->in_size - at < 4 + size) break;
        at += 4 + size;
        table->heard_at = now_ms();
        hear(table, head + 4, size);
    }
    if (table->socket < 0) return;
    table->in_size -= at;
    memmove(table->in, table->in + at, table->in_size);
}

/* What its user calls */

bool table_open(struct table *table, const char *id, const char *key, const char *servers, const char *path) {
    unsigned byte;
    memset(table, 0, sizeof *table);
    table->socket = -1;
    table->heartbeat = HEARTBEAT_MS;
    if (strlen(id) >= NAME || strlen(key) < 2 * KEY) return false;
    strcpy(table->id, id);
    for (int i = 0; i < KEY; i++) {
        if (sscanf(key + 2 * i, "%2x", &byte) != 1) return false;
        table->key[i] = (uint8_t)byte;
    }
    for (const char *at = servers; *at; at += strcspn(at, ","), at += *at == ',')
        add(&table->servers, (struct text){(const uint8_t *)at, strcspn(at, ",")});
    return table->servers.count > 0 && load(table, path);
}

void table_turn(struct table *table, int64_t most) {
    if (table->socket < 0 && now_ms() >= table->connect_at) dial(table);
    struct pollfd wait = {table->socket, POLLIN, 0};
    if (poll(&wait, 1, (int)most) == 1) {
        ssize_t size = recv(table->socket, table->in + table->in_size, sizeof table->in - table->in_size, 0);
        if (size <= 0) drop(table, "");
        else table->in_size += (size_t)size;
        read_frames(table);
    }
    int64_t now = now_ms();
    if (table->socket < 0) return;
    if (now - table->heard_at >= SILENT_HEARTBEATS * table->heartbeat) drop(table, "");
    else if (table->welcomed && now - table->said_at >= table->heartbeat)
        say_at(table, "ping", true, (uint64_t)now);
}

bool table_free(const struct table *table) { return table->memory.size == 0; }
bool table_online(const struct table *table) {
    bool late = !table_free(table) && now_ms() - table->sent_at >= SILENT_HEARTBEATS * table->heartbeat;
    return table->welcomed && !late;
}

struct out table_begin(struct table *table, const char *type, uint32_t fields) {
    struct memory *memory = &table->memory;
    struct out out = {memory->command, 0, COMMAND_MAX, false};
    put_map(&out, 2 + fields);
    put_text(&out, "t"), put_text(&out, type), put_text(&out, "seq");
    memory->seq_at = (uint32_t)out.size + 1;
    put_long(&out, memory->acked + 1);
    return out;
}

bool table_give(struct table *table, const struct out *command) {
    if (command->bad) return false;
    table->memory.size = (uint32_t)command->size;
    if (!save(table)) return false;
    if (table->welcomed) say_pending(table);
    return true;
}
