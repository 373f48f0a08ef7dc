-- The other design in PostgreSQL: one stored function a frame. It checks the table's order, moves three meters, and
-- keeps a journal row and the answer. It knows no rules, no double entry and no hash chain.

CREATE TABLE device (id integer PRIMARY KEY, last_seq bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE meter (level integer PRIMARY KEY, value bigint NOT NULL) WITH (fillfactor = 10);
CREATE TABLE journal (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, device integer NOT NULL, seq bigint NOT NULL, body bytea NOT NULL
);
CREATE TABLE answer (
    device integer NOT NULL, place integer NOT NULL, seq bigint NOT NULL, body bytea NOT NULL,
    PRIMARY KEY (device, place)
) WITH (fillfactor = 50);

INSERT INTO meter VALUES (1, 0), (2, 0), (3, 0);

-- The meters come last: every frame waits for them, from here to the end of its transaction.
CREATE FUNCTION frame(of_device integer, in_seq bigint, frame bytea, more bigint) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    told bytea := decode('82a174a361636ba3736571', 'hex') || int8send(in_seq);
BEGIN
    UPDATE device SET last_seq = in_seq WHERE id = of_device AND last_seq = in_seq - 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'seq_gap';
    END IF;
    INSERT INTO journal (device, seq, body) VALUES (of_device, in_seq, frame);
    INSERT INTO answer VALUES (of_device, in_seq % 64, in_seq, told)
        ON CONFLICT (device, place) DO UPDATE SET seq = excluded.seq, body = excluded.body;
    UPDATE meter SET value = value + more WHERE level = 1;
    UPDATE meter SET value = value + more WHERE level = 2;
    UPDATE meter SET value = value + more WHERE level = 3;
    RETURN told;
END $$;
