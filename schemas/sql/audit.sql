-- An auditor's queries of a ledger, in plain SQL that SQLite and PostgreSQL read alike: run it whole or in parts,
--     sqlite3 -readonly -header -column ledger.db < audit.sql
--     psql "postgresql://auditor@host/ledger?options=-csearch_path%3Dpublic" -f audit.sql
-- With -echo (sqlite3) or -a (psql) each query stands before its answer, also one that gives no row. Hashes and bodies
-- are bytes: sqlite3 shows them in hexadecimal with -quote, psql as text after SET bytea_output = 'escape'.
--
-- It reads the tables alone, no view, and locks nothing: a server may go on meanwhile, and then queries of one run
-- see the ledger at slightly different rows. The first column names the query. Those marked NO ROW must give none.
--
-- A ledger that was sealed ("jackpot ledger seal") lacks old frames: gaps and sums that do not add up are no fault then.
-- Bring a copy of its archive up to date ("jackpot ledger backup COPY.db") and ask that: it is whole from row 1.
--
-- Sums are micro-dollars, a millionth of the currency unit: divide by 1000000. Sources of money (house, wagers,
-- corrections, transfers) are posted negative, uses (primary, reserve, overflow, awards) positive. Times (at) are unix
-- milliseconds, UTC, and decide nothing but in which gaming day a row is counted below.
--
-- Links, levels and tables are numbers, and so are banks where no name is given (the table bank has both). A bank
-- numbers its links 1, 2, 3, ... in the order in which they were opened, a link its levels in the order of its
-- paytable (mega, major, ...; or meter), 0 being what no meter pays, a bank its tables in the order in which they
-- were added. The names are in the events, which plain SQL does not decode: the query "opened" shows the event that
-- gave a number its name, in which the name can be read; "jackpot links list" shows the links in their order. What SQL
-- cannot do at all is to recompute the hashes: "jackpot verify" does.


-- S1, M4: every account of every level, from postings alone. primary is what a sign shows.
SELECT 'meters' AS query, bank.name AS bank, posting.link, posting.level,
    sum(posting."primary") AS "primary", sum(posting.reserve) AS reserve, sum(posting.overflow) AS overflow,
    sum(posting.house) AS house, sum(posting.wagers) AS wagers, sum(posting.awards) AS awards,
    sum(posting.corrections) AS corrections, sum(posting.transfers) AS transfers
FROM posting
JOIN bank ON bank.id = posting.bank
GROUP BY bank.name, posting.link, posting.level
ORDER BY bank.name, posting.link, posting.level;


-- M4: nothing appears and nothing vanishes. What came in equals what stands on the meters plus what was awarded, on
-- every level; difference is 0 in every line.
SELECT 'conservation' AS query, bank.name AS bank, posting.link, posting.level,
    -(sum(house) + sum(wagers) + sum(corrections) + sum(transfers)) AS money_in,
    sum("primary") + sum(reserve) + sum(overflow) + sum(awards) AS money_out,
    -(sum(house) + sum(wagers) + sum(corrections) + sum(transfers))
        - (sum("primary") + sum(reserve) + sum(overflow) + sum(awards)) AS difference
FROM posting
JOIN bank ON bank.id = posting.bank
GROUP BY bank.name, posting.link, posting.level
ORDER BY bank.name, posting.link, posting.level;


-- M4, NO ROW: a posting whose eight accounts do not sum to zero.
SELECT 'unbalanced' AS query, bank, seq, link, level,
    CAST("primary" AS numeric) + reserve + overflow + house + wagers + awards + corrections + transfers AS difference
FROM posting
WHERE CAST("primary" AS numeric) + reserve + overflow + house + wagers + awards + corrections + transfers <> 0
ORDER BY bank, seq, link, level;


-- A11, NO ROW: an account that holds money was below zero after some entry.
SELECT 'below zero' AS query, bank, link, level, seq, "primary", reserve, overflow
FROM (
    SELECT bank, link, level, seq,
        sum("primary") OVER meter AS "primary", sum(reserve) OVER meter AS reserve,
        sum(overflow) OVER meter AS overflow
    FROM posting
    WINDOW meter AS (PARTITION BY bank, link, level ORDER BY seq ROWS UNBOUNDED PRECEDING)
) AS history
WHERE "primary" < 0 OR reserve < 0 OR overflow < 0
ORDER BY bank, link, level, seq;


-- M4, NO ROW: money that no entry of the journal moved.
SELECT 'no entry' AS query, posting.bank, posting.seq, posting.link, posting.level
FROM posting
LEFT JOIN journal ON journal.bank = posting.bank AND journal.seq = posting.seq
WHERE journal.seq IS NULL
ORDER BY posting.bank, posting.seq, posting.link, posting.level;


-- S3, NO ROW: a row taken out, put in or turned back. Rows of a bank are numbered 1, 2, 3, ... without a gap, and
-- their epoch, one higher for each writer, never falls.
SELECT 'order' AS query, bank, seq, seq_before, epoch, epoch_before
FROM (
    SELECT bank, seq, epoch,
        lag(seq, 1, 0) OVER (PARTITION BY bank ORDER BY seq) AS seq_before,
        lag(epoch, 1, 0) OVER (PARTITION BY bank ORDER BY seq) AS epoch_before
    FROM journal
) AS walk
WHERE seq <> seq_before + 1 OR epoch < epoch_before
ORDER BY bank, seq;


-- S3: where each bank stands. rows, last_seq and head_seq are equal, and head_hash is last_hash; compare it with one
-- that was kept elsewhere ("jackpot verify" prints it), for a tail cut off together with its head shows nowhere else.
SELECT 'heads' AS query, bank.name AS bank, count(journal.seq) AS "rows", max(journal.seq) AS last_seq,
    max(head.seq) AS head_seq, max(head.epoch) AS epoch,
    (SELECT hash FROM journal AS last WHERE last.bank = bank.id ORDER BY seq DESC LIMIT 1) AS last_hash,
    (SELECT hash FROM head AS own WHERE own.bank = bank.id) AS head_hash
FROM bank
LEFT JOIN head ON head.bank = bank.id
LEFT JOIN journal ON journal.bank = bank.id
GROUP BY bank.id, bank.name
ORDER BY bank.name;


-- S4, NO ROW: a frame of a table that was carried out twice.
SELECT 'twice' AS query, bank, "table", table_seq, count(*) AS times
FROM journal
WHERE table_seq IS NOT NULL
GROUP BY bank, "table", table_seq
HAVING count(*) > 1
ORDER BY bank, "table", table_seq;


-- S4, S9: frames that tables had answered and this ledger has not: what was lost with a tail (a restored backup). Each
-- was confirmed by two people, in an entry "behind_confirmed" or "resumed" before seq; on a ledger that never lost any
-- there is no row. A bank that two were joined into (kind 26) goes on with its tables' numbers, so nothing is said
-- before a table's first there.
SELECT 'lost' AS query, bank, "table", table_before + 1 AS first_lost, table_seq - 1 AS last_lost, seq
FROM (
    SELECT bank, "table", seq, table_seq,
        lag(table_seq, 1, 0) OVER (PARTITION BY bank, "table" ORDER BY seq) AS table_before
    FROM journal
    WHERE table_seq IS NOT NULL
) AS frames
WHERE table_seq <> table_before + 1
    AND (table_before > 0 OR bank NOT IN (SELECT begun.bank FROM journal AS begun WHERE begun.kind = 26))
ORDER BY bank, "table", seq;


-- S2: money by gaming day as the readings end them, and every meter at the day's end. ended_at is the reading's; the
-- last, unfinished day has none. A level that nothing moved that day has no line.
WITH day AS (
    SELECT bank, seq,
        sum(CASE WHEN kind = 21 THEN 1 ELSE 0 END) OVER (PARTITION BY bank ORDER BY seq ROWS UNBOUNDED PRECEDING)
            + CASE WHEN kind = 21 THEN 0 ELSE 1 END AS number
    FROM journal
), reading AS (
    SELECT bank, at, row_number() OVER (PARTITION BY bank ORDER BY seq) AS number
    FROM journal
    WHERE kind = 21
), moved AS (
    SELECT posting.bank, day.number, link, level, -sum(wagers) AS contributions, -sum(house) AS house,
        sum(awards) AS awards, -sum(corrections) AS corrections, -sum(transfers) AS transfers,
        sum("primary") AS "primary", sum(reserve) AS reserve, sum(overflow) AS overflow
    FROM posting
    JOIN day ON day.bank = posting.bank AND day.seq = posting.seq
    GROUP BY posting.bank, day.number, link, level
)
SELECT 'readings' AS query, moved.bank, moved.number AS gaming_day, reading.at AS ended_at, link, level,
    contributions, house, awards, corrections, transfers,
    sum("primary") OVER meter AS primary_then, sum(reserve) OVER meter AS reserve_then,
    sum(overflow) OVER meter AS overflow_then
FROM moved
LEFT JOIN reading ON reading.bank = moved.bank AND reading.number = moved.number
WINDOW meter AS (PARTITION BY moved.bank, link, level ORDER BY moved.number ROWS UNBOUNDED PRECEDING)
ORDER BY moved.bank, moved.number, link, level;


-- S2: money by day of the clock, whatever readings there are. begins is when a gaming day begins, in milliseconds after
-- midnight UTC: 39600000 is 06:00 at UTC-5. Set it first. Where clocks change twice a year, so does begins.
WITH gaming_day (begins) AS (
    SELECT 39600000
)
SELECT 'days' AS query, posting.bank, (at - begins) / 86400000 * 86400000 + begins AS began_at, posting.link, level,
    -sum(wagers) AS contributions, -sum(house) AS house, sum(awards) AS awards, -sum(corrections) AS corrections,
    -sum(transfers) AS transfers
FROM posting
JOIN journal ON journal.bank = posting.bank AND journal.seq = posting.seq
CROSS JOIN gaming_day
GROUP BY posting.bank, (at - begins) / 86400000 * 86400000 + begins, posting.link, level
ORDER BY posting.bank, began_at, posting.link, level;


-- L10: what each table put on each level, cycle by cycle: the wagers behind any jackpot, less what was taken back. The
-- table is null where a person's act took back a wager or an award.
SELECT 'wagers' AS query, posting.bank, posting.link, level, cycle, "table", -sum(wagers) AS contributions
FROM posting
JOIN journal ON journal.bank = posting.bank AND journal.seq = posting.seq
WHERE wagers <> 0
GROUP BY posting.bank, posting.link, level, cycle, "table"
ORDER BY posting.bank, posting.link, level, cycle, "table" IS NULL, "table";


-- A1, L10: what each cycle paid, and by how many entries; an undone award is taken off in the cycle of its undoing.
SELECT 'wins' AS query, bank, link, level, cycle, sum(awards) AS awards,
    sum(CASE WHEN awards > 0 THEN 1 ELSE 0 END) AS paying, sum(CASE WHEN awards < 0 THEN 1 ELSE 0 END) AS taking_back
FROM posting
WHERE awards <> 0
GROUP BY bank, link, level, cycle
ORDER BY bank, link, level, cycle;


-- T7: every entry that changed what was awarded, in the order in which they count.
SELECT 'awards' AS query, posting.bank, posting.seq, at, kind, "table", posting.link, level, cycle, awards
FROM posting
JOIN journal ON journal.bank = posting.bank AND journal.seq = posting.seq
WHERE awards <> 0
ORDER BY posting.bank, posting.seq, posting.link, level;


-- What happened, how often, and when first and last. The numbers of kinds never change their meaning.
WITH kinds (number, name) AS (
    VALUES (1, 'link_opened'), (2, 'table_opened'), (3, 'wagered'), (4, 'withdrawn'), (5, 'locked'), (6, 'settled'),
        (7, 'closed'), (8, 'voided'), (9, 'refused'), (10, 'validated'), (11, 'paid'), (12, 'undone'),
        (13, 'corrected'), (14, 'released'), (15, 'struck'), (16, 'reopened'), (17, 'found_behind'),
        (18, 'behind_confirmed'), (19, 'suspended'), (20, 'resumed'), (21, 'reading_taken'), (22, 'device_blocked'),
        (23, 'device_cleared'), (24, 'key_ended'), (25, 'bank_closed'), (26, 'bank_begun'), (27, 'reopen_asked'),
        (28, 'reopen_declined'), (29, 'behind_over'), (30, 'bank_opened'), (31, 'sealed'), (32, 'people_begun'),
        (33, 'person_added'), (34, 'granted'), (35, 'role_withdrawn'), (36, 'person_ended'), (37, 'secret_reset'),
        (38, 'code_given'), (39, 'secret_set'), (40, 'signed_in'), (41, 'locked_out'), (42, 'token_made'),
        (43, 'token_ended'), (44, 'recovered'), (45, 'requested'), (46, 'act_refused'), (47, 'rejected'),
        (48, 'request_expired'), (49, 'signed_out'), (52, 'disputed'), (53, 'lifted'), (54, 'papers_erased'),
        (55, 'papers_added'), (64, 'alarm_acknowledged'), (70, 'people_seen'), (71, 'vouched'), (72, 'seq_conflict'),
        (73, 'name_erased'), (80, 'meter_corrected'), (81, 'left_decided'), (82, 'transferred'), (83, 'link_closed'),
        (84, 'link_changed'), (85, 'archived'), (86, 'program_began'), (87, 'program_confirmed'),
        (88, 'level_order_changed'), (89, 'cash_noticed'), (90, 'notice_given'), (91, 'notice_withdrawn'),
        (92, 'abandoned_decided'), (93, 'triggers_renewed'), (94, 'credited'), (95, 'triggers_replaced'),
        (96, 'lamp_reported'), (97, 'end_given'), (98, 'wagers_ended'), (99, 'link_ended'), (100, 'end_waits')
)
SELECT 'events' AS query, bank, kind, name, count(*) AS entries, min(at) AS first_at, max(at) AS last_at
FROM journal
LEFT JOIN kinds ON number = kind
GROUP BY bank, kind, name
ORDER BY bank, kind;


-- L9: which entry opened each link (kind 1), or added or changed a table (kind 2). The body is the name of
-- the act and the event, a MessagePack array: its number, then its terms, in which names are plain text; named is a
-- part of it, from the first name on.
SELECT 'opened' AS query, bank, seq, at, kind, substr(body, CASE kind WHEN 1 THEN 21 ELSE 20 END, 40) AS named, body
FROM journal
WHERE kind IN (1, 2)
ORDER BY bank, kind, seq;
