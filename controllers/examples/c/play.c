/* A table that deals a game by itself: an example to begin with, and what a tester can be pointed at.
 *
 *   ./table --server HOST:PORT[,HOST:PORT] --id T01 --key KEY_FILE --memory FILE [--game GAME] [--deck CARDS]
 *       [--rounds N] [--pause MS]
 *
 * --deck is how the first deck begins: each seat's cards, the board, the dealer's, the bonus cards. It plays N rounds and ends with 0; without N it plays for ever. Each answer is a line of JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "floor.h"

enum { SEATS = 3, DECK = 52, TURN_MS = 20 };
enum { REFUSALS_MAX = 3 }; /* in a row: more is a fault that people must look into */

/* What a game deals: to the first of three seats, to each seat, and to nobody's. */
struct game { const char *name; int first, own, board, dealer, bonus; };
static const struct game GAMES[] = {
    {"let-it-ride", 7, 3, 2, 0, 3},     {"ultimate-texas-holdem", 6, 2, 5, 2, 0}, {"three-card-poker", 7, 3, 0, 3, 0},
    {"four-card-poker", 7, 5, 0, 0, 0}, {"criss-cross-poker", 6, 2, 5, 0, 0},     {NULL, 0, 0, 0, 0, 0},
};

enum step { NOTHING, WAGER, SETTLE, VOID, LAMP };
static const char *const NAMES[] = {"what was unanswered", "wager", "settle", "void", "lamp"};

/* asked: what the unanswered command is. dealt: the round whose cards lie on this table. waits: as last said.
 * seat: in payout order, seat numbers fall. deck: how the next deck begins. */
struct dealer {
    const struct game *game; int seat[SEATS]; const char *deck;
    enum step asked; const char *waits;
    char begun[NAME], dealt[NAME], cards[DECK][3];
    int64_t next_at, pause;
    long left; /* rounds, below 0 for ever */
    int refused;
};

static void shuffle(struct dealer *dealer) {
    for (int i = 0; i < DECK; i++) {
        int other = (int)chance((uint32_t)i + 1);
        memcpy(dealer->cards[i], dealer->cards[other], 3);
        snprintf(dealer->cards[other], 3, "%c%c", "23456789TJQKA"[i / 4], "shdc"[i % 4]);
    }
    for (int at = 0; at < DECK && dealer->deck[2 * at] && dealer->deck[2 * at + 1]; at++)
        for (int other = at; other < DECK; other++)
            if (strncmp(dealer->cards[other], dealer->deck + 2 * at, 2) == 0) {
                memcpy(dealer->cards[other], dealer->cards[at], 3);
                memcpy(dealer->cards[at], dealer->deck + 2 * at, 2);
            }
    dealer->deck = "";
}

static void put_cards(struct out *out, const struct dealer *dealer, int first, int count) {
    put_list(out, (uint32_t)count);
    for (int i = 0; i < count; i++) put_text(out, dealer->cards[first + i]);
}

/* Of an offer the player chooses the amount: here a step above the least, where it takes that. */
static uint64_t amount(const struct link *link) {
    return link->wager + link->unit <= link->most ? link->wager + link->unit : link->wager;
}

/* The dealer's count of each link that wants one: of its chips, or of what they come to. */
static void put_counts(struct out *out, const struct table *table, const char *name, uint32_t links, bool sums) {
    put_text(out, name), put_map(out, links);
    for (const struct link *link = table->links; link < table->links + table->link_count; link++) {
        if (!link->active || !link->count) continue;
        put_text(out, link->name), put_number(out, SEATS * (sums ? amount(link) : 1));
    }
}

/* Whether a link of the table needs the dealer's cards, bonus cards, or how many players there are. */
struct needs { bool dealer, bonus, players; };
static struct needs needs(const struct table *table) {
    struct needs all = {false, false, false};
    for (const struct link *link = table->links; link < table->links + table->link_count; link++)
        all.dealer |= link->dealer, all.bonus |= link->bonus, all.players |= link->players;
    return all;
}

static bool wager(struct table *table, struct dealer *dealer, int active) {
    uint32_t counted = 0;
    bool players = needs(table).players;
    for (int i = 0; i < table->link_count; i++) counted += table->links[i].active && table->links[i].count;
    struct out out = table_begin(table, "wager", (counted ? 5u : 3u) + (players ? 1u : 0u));
    if (players) put_text(&out, "players"), put_number(&out, SEATS);
    if (counted) put_counts(&out, table, "chips", counted, false), put_counts(&out, table, "sums", counted, true);
    snprintf(dealer->begun, NAME, "R%08x%08x", chance(0xffffffff), chance(0xffffffff));
    put_text(&out, "round"), put_text(&out, dealer->begun);
    put_text(&out, "lock"), put_true(&out);
    put_text(&out, "bets"), put_list(&out, (uint32_t)(SEATS * active));
    for (int seat = 0; seat < SEATS; seat++)
        for (int i = 0; i < table->link_count; i++) {
            if (!table->links[i].active) continue;
            put_map(&out, 3);
            put_text(&out, "seat"), put_number(&out, (uint64_t)dealer->seat[seat]);
            put_text(&out, "link"), put_text(&out, table->links[i].name);
            put_text(&out, "amount"), put_number(&out, amount(&table->links[i]));
        }
    return table_give(table, &out);
}

static bool settle(struct table *table, const struct dealer *dealer) {
    const struct game *game = dealer->game;
    struct needs wanted = needs(table);
    int at = SEATS * game->own;
    struct out out = table_begin(table, "settle", 4u + (wanted.dealer ? 1u : 0u) + (wanted.bonus ? 1u : 0u));
    put_text(&out, "round"), put_text(&out, table->round);
    put_text(&out, "close"), put_true(&out);
    put_text(&out, "board"), put_cards(&out, dealer, at, game->board);
    if (wanted.dealer) put_text(&out, "dealer"), put_cards(&out, dealer, at + game->board, game->dealer);
    at += game->board + game->dealer;
    if (wanted.bonus) put_text(&out, "bonus"), put_cards(&out, dealer, at, game->bonus);
    put_text(&out, "hands"), put_list(&out, SEATS);
    for (int seat = 0; seat < SEATS; seat++) {
        put_map(&out, 2);
        put_text(&out, "seat"), put_number(&out, (uint64_t)dealer->seat[seat]);
        put_text(&out, "cards"), put_cards(&out, dealer, seat * game->own, game->own);
    }
    return table_give(table, &out);
}

static bool give_back(struct table *table) {
    struct out out = table_begin(table, "void", 2);
    put_text(&out, "round"), put_text(&out, table->round);
    put_text(&out, "reason"), put_text(&out, "its cards are not known here");
    return table_give(table, &out);
}

/* Lights the lamp of an award, and says what it shows: here that it is lit, for there is none that could fail. */
static bool light(struct table *table) {
    struct out out = table_begin(table, "lamp", 2);
    put_text(&out, "award"), put_text(&out, table->lamps.award[table->lamps.count - 1]);
    put_text(&out, "state"), put_text(&out, "lit");
    return table_give(table, &out);
}

/* What the answer to the command means for the dealer. False: people must look. */
static bool hear(struct table *table, struct dealer *dealer) {
    printf("{\"command\":\"%s\",\"answer\":{\"t\":\"%s\",\"seq\":%llu,\"code\":\"%s\"}}\n", NAMES[dealer->asked],
           table->acked ? "ack" : "nack", (unsigned long long)table->answer_seq, table->code);
    fflush(stdout);
    if (dealer->asked == LAMP) table->lamps.count--; /* an award that is undone by now wants no lamp */
    else if (table->acked) {
        dealer->refused = 0;
        if (dealer->asked == WAGER) {
            strcpy(dealer->dealt, dealer->begun);
            shuffle(dealer);
        } else if (dealer->asked != NOTHING && dealer->left > 0) dealer->left--;
    } else if (strcmp(table->code, "suspended") == 0) {
        for (int i = 0; i < table->link_count; i++) /* the one that is named, until it is told; all, where none is */
            if (!table->named[0] || strcmp(table->links[i].name, table->named) == 0) table->links[i].active = false;
    } else if (strcmp(table->code, "table_held") == 0) table->held = true;
    else {
        dealer->dealt[0] = 0; /* a settlement that was refused: the wagers go back */
        if (dealer->asked == VOID && table->round[0]) return false;
        if (++dealer->refused >= REFUSALS_MAX) return false;
    }
    dealer->next_at = now_ms() + dealer->pause;
    dealer->asked = NOTHING;
    return true;
}

/* The next command, where there is one to give. False where it cannot be kept. */
static bool deal(struct table *table, struct dealer *dealer) {
    int active = 0;
    for (int i = 0; i < table->link_count; i++) active += table->links[i].active;
    if (!table->welcomed) return true;
    if (table->lamps.count > 0) return dealer->asked = LAMP, light(table);
    if (table->round[0]) {
        bool known = strcmp(table->round, dealer->dealt) == 0;
        dealer->asked = known ? SETTLE : VOID;
        return known ? settle(table, dealer) : give_back(table);
    }
    if (dealer->left == 0 || !table_online(table) || now_ms() < dealer->next_at) return true;
    const char *why = table->held ? "held: people must see to a hit" : active ? NULL : "every link is suspended";
    if (why != NULL && why != dealer->waits) fprintf(stderr, "%s\n", why);
    if ((dealer->waits = why) != NULL) return true;
    dealer->asked = WAGER;
    return wager(table, dealer, active);
}

static const char *option(int count, char **words, const char *name, const char *otherwise) {
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(words[i], name) == 0) return words[i + 1];
    return otherwise;
}

int main(int count, char **words) {
    static struct table table;
    static struct dealer dealer;
    char key[80] = "";
    unsigned heard = 0;
    const char *named = option(count, words, "--key", NULL);
    FILE *file = named == NULL ? NULL : fopen(named, "r");
    if (named != NULL && (file == NULL || fgets(key, sizeof key, file) == NULL))
        fprintf(stderr, "--key: %s cannot be read, or is empty\n", named);
    if (file == NULL || key[0] == '\0' ||
        !table_open(&table, option(count, words, "--id", "T01"), key, option(count, words, "--server", ""),
                    option(count, words, "--memory", "table.memory"))) {
        fprintf(stderr,
                "usage: %s --server HOST:PORT[,HOST:PORT] --id T01 --key FILE --memory FILE\n"
                "    [--game GAME] [--deck CARDS] [--rounds N] [--pause MS]\n"
                "The key file has 64 hex digits, as `jackpot keys new` wrote it; the memory file survives a power\n"
                "loss. Games:", words[0]);
        for (const struct game *one = GAMES; one->name != NULL; one++) fprintf(stderr, " %s", one->name);
        fprintf(stderr, "\n");
        return 2;
    }
    fclose(file);
    const char *game = option(count, words, "--game", GAMES[0].name);
    for (dealer.game = GAMES; dealer.game->name != NULL && strcmp(dealer.game->name, game) != 0;) dealer.game++;
    if (dealer.game->name == NULL) {
        fprintf(stderr, "--game: there is no %s\n", game);
        return 2;
    }
    dealer.seat[0] = dealer.game->first, dealer.seat[1] = 4, dealer.seat[2] = 1;
    dealer.deck = option(count, words, "--deck", "");
    dealer.left = atol(option(count, words, "--rounds", "-1"));
    dealer.pause = atol(option(count, words, "--pause", "100"));
    while (dealer.left != 0 || table.round[0] || table.lamps.count > 0 || !table_free(&table)) {
        table_turn(&table, TURN_MS);
        bool fine = table.answered == heard || hear(&table, &dealer);
        heard = table.answered;
        if (fine && table_free(&table)) fine = deal(&table, &dealer);
        if (!fine) {
            fprintf(stderr, "call the floor, after %s %s\n", NAMES[dealer.asked], table.code);
            return 1;
        }
    }
    return 0;
}
