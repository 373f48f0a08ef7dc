-- The book of record: journal and postings (append-only), heads, snapshots, and two views for auditors.
--
-- Sums are micro-dollars. Sources (house, wagers, corrections, transfers) are negative, uses positive.
-- WITHOUT ROWID, because a rowid and a separate key index cost an eighth more a round (measured). The key
-- is the only index of a wager: rows are read in their order.

CREATE TABLE bank (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (name <> '')
) STRICT;

CREATE TABLE journal (
    bank INTEGER NOT NULL,
    seq INTEGER NOT NULL CHECK (seq > 0),
    at INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    version INTEGER NOT NULL,
    link INTEGER,
    "table" INTEGER,
    table_seq INTEGER,
    digest BLOB NOT NULL CHECK (length(digest) = 16),
    body BLOB NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (bank, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE posting (
    bank INTEGER NOT NULL,
    seq INTEGER NOT NULL CHECK (seq > 0),
    link INTEGER NOT NULL,
    level INTEGER NOT NULL CHECK (level >= 0),
    cycle INTEGER NOT NULL,
    "primary" INTEGER NOT NULL,
    reserve INTEGER NOT NULL,
    overflow INTEGER NOT NULL,
    house INTEGER NOT NULL,
    wagers INTEGER NOT NULL,
    awards INTEGER NOT NULL,
    corrections INTEGER NOT NULL,
    transfers INTEGER NOT NULL,
    PRIMARY KEY (bank, seq, link, level),
    CHECK ("primary" + reserve + overflow + house + wagers + awards + corrections + transfers = 0)
) STRICT, WITHOUT ROWID;

-- Which rows made or changed a hit: the way to its history. It follows from the rows; verify holds it to them.
CREATE TABLE hit_entry (
    bank INTEGER NOT NULL,
    seq INTEGER NOT NULL CHECK (seq > 0),
    hit INTEGER NOT NULL CHECK (hit > 0),
    PRIMARY KEY (bank, seq, hit)
) STRICT, WITHOUT ROWID;
CREATE INDEX hit_entry_by_hit ON hit_entry (bank, hit, seq);

-- The lease and the fence: a writer's transaction ends with a compare-and-swap of (epoch, seq).
CREATE TABLE head (
    bank INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    holder TEXT NOT NULL,
    beat INTEGER NOT NULL
) STRICT;

-- A state after row `seq`, believed only where row `seq` + 1 seals it; a start begins at the older of two.
CREATE TABLE snapshot (
    bank INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    format INTEGER NOT NULL,
    state BLOB NOT NULL,
    PRIMARY KEY (bank, seq)
) STRICT;

-- Next to the journal: what people are called, and how they sign in. This may change and be erased. The journal
-- holds digests of names and of what is kept of secrets: another name, or another secret, is believed nowhere.

CREATE TABLE person (
    -- SHA-256 of salt, login and name; the journal says which person has it.
    mark BLOB NOT NULL PRIMARY KEY CHECK (length(mark) = 32),
    login TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    salt BLOB NOT NULL
) STRICT;

CREATE TABLE secret (
    -- SHA-256 of hash and totp; the journal says which one a person has. hash: argon2id. totp: empty without.
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    person INTEGER NOT NULL,
    hash TEXT NOT NULL,
    totp BLOB NOT NULL
) STRICT;

CREATE TABLE attempt (
    -- totp_step: the last one that was used.
    person INTEGER NOT NULL PRIMARY KEY,
    totp_step INTEGER NOT NULL
) STRICT;

CREATE TABLE session (
    -- token: its SHA-256; the journal says whose session it is. seen: when it was used last, unix milliseconds.
    token BLOB NOT NULL PRIMARY KEY CHECK (length(token) = 32),
    person INTEGER NOT NULL,
    seen INTEGER NOT NULL
) STRICT;

CREATE TABLE told (
    -- Up to which entry of a bank pagers took everything. It may be behind, and never ahead.
    bank TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT;

CREATE TABLE paper (
    -- What people wrote on a payout's papers, as JSON. mark: SHA-256 of salt and facts; the journal says which
    -- payout has it. request: of what was asked. made: unix milliseconds.
    mark BLOB NOT NULL PRIMARY KEY CHECK (length(mark) = 32),
    request BLOB NOT NULL UNIQUE CHECK (length(request) = 16),
    made INTEGER NOT NULL,
    salt BLOB NOT NULL,
    facts TEXT NOT NULL
) STRICT;
CREATE INDEX paper_by_age ON paper (made);

CREATE TRIGGER bank_is_never_renamed BEFORE UPDATE ON bank
BEGIN SELECT RAISE(ABORT, 'a bank keeps its name and number'); END;

CREATE TRIGGER bank_is_never_deleted BEFORE DELETE ON bank
BEGIN SELECT RAISE(ABORT, 'a bank keeps its name and number'); END;

CREATE TRIGGER journal_is_never_changed BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER journal_is_never_deleted BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER posting_is_never_changed BEFORE UPDATE ON posting
BEGIN SELECT RAISE(ABORT, 'postings are append-only'); END;

CREATE TRIGGER posting_is_never_deleted BEFORE DELETE ON posting
BEGIN SELECT RAISE(ABORT, 'postings are append-only'); END;

CREATE TRIGGER hit_entry_is_never_changed BEFORE UPDATE ON hit_entry
BEGIN SELECT RAISE(ABORT, 'entries of hits are append-only'); END;

CREATE TRIGGER hit_entry_is_never_deleted BEFORE DELETE ON hit_entry
BEGIN SELECT RAISE(ABORT, 'entries of hits are append-only'); END;

-- What a cycle is read by: entries that moved a meter without a wager.
CREATE INDEX posting_of_awards ON posting (seq) WHERE wagers = 0;

-- What reports are read by: all that is no table's frame, by its kind (acts, readings, openings); and refusals.
CREATE INDEX journal_by_kind ON journal (kind, seq) WHERE table_seq IS NULL;
CREATE INDEX journal_of_refusals ON journal (seq) WHERE kind = 9;

-- One line an account that a posting moved.
CREATE VIEW account_entry (bank, seq, at, link, level, cycle, account, micros) AS
WITH line (bank, seq, link, level, cycle, account, micros) AS (
    SELECT bank, seq, link, level, cycle, 'primary', "primary" FROM posting
    UNION ALL SELECT bank, seq, link, level, cycle, 'reserve', reserve FROM posting
    UNION ALL SELECT bank, seq, link, level, cycle, 'overflow', overflow FROM posting
    UNION ALL SELECT bank, seq, link, level, cycle, 'house', house FROM posting
    UNION ALL SELECT bank, seq, link, level, cycle, 'wagers', wagers FROM posting
    UNION ALL SELECT bank, seq, link, level, cycle, 'awards', awards FROM posting
    UNION ALL SELECT bank, seq, link, level, cycle, 'corrections', corrections FROM posting
    UNION ALL SELECT bank, seq, link, level, cycle, 'transfers', transfers FROM posting
)
SELECT bank.name, line.seq, journal.at, line.link, line.level, line.cycle, line.account, line.micros
FROM line
JOIN bank ON bank.id = line.bank
JOIN journal ON journal.bank = line.bank AND journal.seq = line.seq
WHERE line.micros <> 0;

-- The equation of conservation (M4) of every link and level, level 0 too: money_in = money_out, so
-- difference is 0. Sources are shown as what came in.
CREATE VIEW conservation (
    bank, link, level, house, contributions, corrections, transfers, "primary", reserve, overflow, awards,
    money_in, money_out, difference
) AS
WITH total (bank, link, level, h, w, c, t, p, r, o, a) AS (
    SELECT bank, link, level, -sum(house), -sum(wagers), -sum(corrections), -sum(transfers),
        sum("primary"), sum(reserve), sum(overflow), sum(awards)
    FROM posting
    GROUP BY bank, link, level
)
SELECT bank.name, link, level, h, w, c, t, p, r, o, a, h + w + c + t, p + r + o + a,
    h + w + c + t - (p + r + o + a)
FROM total
JOIN bank ON bank.id = total.bank;
