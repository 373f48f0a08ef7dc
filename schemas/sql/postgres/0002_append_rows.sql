-- The function that appends a batch: one call, one transaction, one round trip to the database.

-- Rows as a server sends them: types of their own, since a table may get columns that this server does not know.
CREATE TYPE journal_row AS (
    bank integer, seq bigint, at bigint, epoch bigint, kind integer, version integer, link integer,
    "table" integer, table_seq bigint, digest bytea, body bytea, hash bytea
);
CREATE TYPE posting_row AS (
    bank integer, seq bigint, link integer, level integer, cycle bigint, "primary" bigint, reserve bigint,
    overflow bigint, house bigint, wagers bigint, awards bigint, corrections bigint, transfers bigint
);
CREATE TYPE hit_row AS (bank integer, seq bigint, hit bigint);

-- Adds rows and moves the head behind them.
CREATE FUNCTION append_rows(
    of_bank integer, in_epoch bigint, seq_before bigint, rows journal_row[], postings posting_row[],
    hits hit_row[], synchronous boolean
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO journal (
        bank, seq, at, epoch, kind, version, link, "table", table_seq, digest, body, hash
    ) SELECT * FROM unnest(rows);
    INSERT INTO posting (
        bank, seq, link, level, cycle, "primary", reserve, overflow, house, wagers, awards, corrections, transfers
    ) SELECT * FROM unnest(postings);
    INSERT INTO hit_entry (bank, seq, hit) SELECT * FROM unnest(hits);
    PERFORM fence(
        of_bank, in_epoch, seq_before, rows[cardinality(rows)].seq, rows[cardinality(rows)].hash,
        cardinality(postings)::bigint, cardinality(hits)::bigint, synchronous
    );
END $$;
