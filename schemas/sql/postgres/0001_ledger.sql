-- The book of record: journal and postings (append-only), heads with lease and fence, snapshots, two views.
--
-- Names, meanings and order of columns are SQLite's, so one auditor's query serves both. Sums are micro-dollars.
-- Sources (house, wagers, corrections, transfers) are negative, uses positive. A ledger has a database of its own.

CREATE TABLE bank (
    id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    -- By its bytes: found by its index too where a restored cluster orders letters otherwise.
    name text COLLATE "C" NOT NULL UNIQUE CHECK (name <> '')
);

CREATE TABLE journal (
    bank integer NOT NULL,
    seq bigint NOT NULL CHECK (seq > 0),
    at bigint NOT NULL,
    epoch bigint NOT NULL,
    kind integer NOT NULL,
    version integer NOT NULL,
    link integer,
    "table" integer,
    table_seq bigint,
    digest bytea NOT NULL CHECK (octet_length(digest) = 16),
    body bytea NOT NULL,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (bank, seq)
);

CREATE TABLE posting (
    bank integer NOT NULL,
    seq bigint NOT NULL CHECK (seq > 0),
    link integer NOT NULL,
    level integer NOT NULL CHECK (level >= 0),
    cycle bigint NOT NULL,
    "primary" bigint NOT NULL,
    reserve bigint NOT NULL,
    overflow bigint NOT NULL,
    house bigint NOT NULL,
    wagers bigint NOT NULL,
    awards bigint NOT NULL,
    corrections bigint NOT NULL,
    transfers bigint NOT NULL,
    PRIMARY KEY (bank, seq, link, level),
    -- Numeric, so that a sum beyond 64 bits is unequal to 0 and not an overflow.
    CHECK ("primary"::numeric + reserve + overflow + house + wagers + awards + corrections + transfers = 0)
);

-- Which rows made or changed a hit: the way to its history. It follows from the rows; verify holds it to them.
CREATE TABLE hit_entry (
    bank integer NOT NULL,
    seq bigint NOT NULL CHECK (seq > 0),
    hit bigint NOT NULL CHECK (hit > 0),
    PRIMARY KEY (bank, seq, hit)
);
CREATE INDEX hit_entry_by_hit ON hit_entry (bank, hit, seq);

-- The lease and the fence. writer: which server process, by a number of its own; backend, backend_start: its
-- connection, so that the server that takes the bank over can end it first.
CREATE TABLE head (
    bank integer PRIMARY KEY,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    holder text NOT NULL,
    beat bigint NOT NULL,
    writer uuid NOT NULL,
    backend integer NOT NULL,
    backend_start timestamptz NOT NULL
);

-- A state after row `seq`, believed only where row `seq` + 1 seals it; a start begins at the older of two.
CREATE TABLE snapshot (
    bank integer NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    format integer NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (bank, seq)
);

-- Next to the journal: what people are called, and how they sign in. This may change and be erased. The journal
-- holds digests of names and of what is kept of secrets: another name, or another secret, is believed nowhere.

CREATE TABLE person (
    -- SHA-256 of salt, login and name; the journal says which person has it.
    mark bytea NOT NULL PRIMARY KEY CHECK (octet_length(mark) = 32),
    login text NOT NULL UNIQUE,
    name text NOT NULL,
    salt bytea NOT NULL
);

CREATE TABLE secret (
    -- SHA-256 of hash and totp; the journal says which one a person has. hash: argon2id. totp: empty without.
    digest bytea NOT NULL PRIMARY KEY CHECK (octet_length(digest) = 32),
    person integer NOT NULL,
    hash text NOT NULL,
    totp bytea NOT NULL
);

CREATE TABLE attempt (
    -- totp_step: the last one that was used.
    person integer NOT NULL PRIMARY KEY,
    totp_step bigint NOT NULL
);

CREATE TABLE session (
    -- token: its SHA-256; the journal says whose session it is. seen: when it was used last, unix milliseconds.
    token bytea NOT NULL PRIMARY KEY CHECK (octet_length(token) = 32),
    person integer NOT NULL,
    seen bigint NOT NULL
);

CREATE TABLE told (
    -- Up to which entry of a bank pagers took everything. It may be behind, and never ahead.
    bank text NOT NULL PRIMARY KEY,
    seq bigint NOT NULL
);

CREATE TABLE paper (
    -- What people wrote on a payout's papers, as JSON. mark: SHA-256 of salt and facts; the journal says which
    -- payout has it. request: of what was asked. made: unix milliseconds.
    mark bytea NOT NULL PRIMARY KEY CHECK (octet_length(mark) = 32),
    request bytea NOT NULL UNIQUE CHECK (octet_length(request) = 16),
    made bigint NOT NULL,
    salt bytea NOT NULL,
    facts text NOT NULL
);
CREATE INDEX paper_by_age ON paper (made);

-- Nobody changes what is written: ALWAYS holds for the owner and for a replication session too.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'JP003';
END $$;

CREATE TRIGGER bank_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON bank
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER posting_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON posting
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER hit_entry_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON hit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE bank ENABLE ALWAYS TRIGGER bank_is_never_changed;
ALTER TABLE journal ENABLE ALWAYS TRIGGER journal_is_never_changed;
ALTER TABLE posting ENABLE ALWAYS TRIGGER posting_is_never_changed;
ALTER TABLE hit_entry ENABLE ALWAYS TRIGGER hit_entry_is_never_changed;

-- A commit that waits for no standby, where one must be waited for, or that the power could take away again, is
-- refused before it is made.
CREATE FUNCTION check_durable(synchronous boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF synchronous AND current_setting('synchronous_standby_names') = '' THEN
        RAISE EXCEPTION 'synchronous_standby_names is empty: a commit would wait for no standby'
            USING ERRCODE = 'JP002';
    END IF;
    IF current_setting('fsync') = 'off' OR current_setting('full_page_writes') = 'off' THEN
        RAISE EXCEPTION 'fsync or full_page_writes is off: a commit could be lost with the power'
            USING ERRCODE = 'JP002';
    END IF;
END $$;

-- Ends every transaction that adds rows: moves the head, if it stands where this writer left it, and if the
-- rows are there, whatever a trigger did to them.
CREATE FUNCTION fence(
    of_bank integer, in_epoch bigint, seq_before bigint, new_seq bigint, new_hash bytea, postings bigint,
    hits bigint, synchronous boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    wrote bigint;
    moved bigint;
    about bigint;
    last_hash bytea;
BEGIN
    PERFORM check_durable(synchronous);
    UPDATE head SET seq = new_seq, hash = new_hash
        WHERE bank = of_bank AND epoch = in_epoch AND seq = seq_before;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the head is not at epoch % and row %', in_epoch, seq_before USING ERRCODE = 'JP001';
    END IF;
    SELECT count(*) INTO wrote FROM journal WHERE bank = of_bank AND seq > seq_before AND seq <= new_seq;
    SELECT count(*) INTO moved FROM posting WHERE bank = of_bank AND seq > seq_before AND seq <= new_seq;
    SELECT count(*) INTO about FROM hit_entry WHERE bank = of_bank AND seq > seq_before AND seq <= new_seq;
    SELECT hash INTO last_hash FROM journal WHERE bank = of_bank AND seq = new_seq;
    IF wrote <> new_seq - seq_before OR moved <> postings OR about <> hits
        OR last_hash IS DISTINCT FROM new_hash THEN
        RAISE EXCEPTION 'of % rows, % postings and % entries of hits it has %, % and %, or another last row',
            new_seq - seq_before, postings, hits, wrote, moved, about USING ERRCODE = 'JP005';
    END IF;
END $$;

-- Takes a bank: the next epoch, in the name of one connection of one process. again: only as the process that
-- holds it already, which has looked away meanwhile.
CREATE FUNCTION take_bank(
    name_of text, genesis bytea, new_holder text, by_writer uuid, at_least bigint, again boolean,
    synchronous boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    number integer;
    loose text := (SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class WHERE relpersistence <> 'p'
        AND oid IN ('bank'::regclass, 'journal'::regclass, 'posting'::regclass, 'head'::regclass));
    own_start timestamptz := (SELECT a.backend_start FROM pg_stat_activity a WHERE a.pid = pg_backend_pid());
BEGIN
    PERFORM check_durable(synchronous);
    IF loose IS NOT NULL THEN
        RAISE EXCEPTION 'unlogged, empty after a crash and on every standby: ALTER TABLE ... SET LOGGED: %', loose
            USING ERRCODE = 'JP002';
    END IF;
    SELECT id INTO number FROM bank WHERE name = name_of;
    IF NOT FOUND THEN
        INSERT INTO bank (name) VALUES (name_of) ON CONFLICT (name) DO NOTHING;
        SELECT id INTO number FROM bank WHERE name = name_of;
    END IF;
    UPDATE head SET epoch = greatest(epoch + 1, at_least), holder = new_holder, writer = by_writer,
            backend = pg_backend_pid(), backend_start = own_start
        WHERE bank = number AND (writer = by_writer OR NOT again);
    IF NOT FOUND THEN
        INSERT INTO head VALUES (
            number, greatest(1, at_least), 0, genesis, new_holder, 0, by_writer, pg_backend_pid(), own_start
        ) ON CONFLICT (bank) DO NOTHING;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the bank was taken by another writer' USING ERRCODE = 'JP001';
        END IF;
    END IF;
END $$;

-- What a cycle is read by: entries that moved a meter without a wager.
CREATE INDEX posting_of_awards ON posting (seq) WHERE wagers = 0;

-- What reports are read by: all that is no table's frame, by its kind (acts, readings, openings); and refusals.
CREATE INDEX journal_by_kind ON journal (kind, seq) WHERE table_seq IS NULL;
CREATE INDEX journal_of_refusals ON journal (seq) WHERE kind = 9;

-- One line an account that a posting moved.
CREATE VIEW account_entry (bank, seq, at, link, level, cycle, account, micros) AS
SELECT bank.name, posting.seq, journal.at, posting.link, posting.level, posting.cycle, line.account, line.micros
FROM posting
JOIN bank ON bank.id = posting.bank
JOIN journal ON journal.bank = posting.bank AND journal.seq = posting.seq
CROSS JOIN LATERAL (VALUES
    ('primary', "primary"), ('reserve', reserve), ('overflow', overflow), ('house', house),
    ('wagers', wagers), ('awards', awards), ('corrections', corrections), ('transfers', transfers)
) AS line (account, micros)
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
