-- Opening balances of banks whose old rows are archived, and the view of conservation that begins with them.

-- What each account came to after row `seq`, up to which an archive alone has the tables' frames. Empty for a bank
-- that is whole from row 1. It follows from the sealed snapshot of that row; verify holds it to that.
CREATE TABLE opening (
    bank integer NOT NULL,
    seq bigint NOT NULL CHECK (seq > 0),
    link integer NOT NULL,
    level integer NOT NULL CHECK (level >= 0),
    "primary" bigint NOT NULL,
    reserve bigint NOT NULL,
    overflow bigint NOT NULL,
    house bigint NOT NULL,
    wagers bigint NOT NULL,
    awards bigint NOT NULL,
    corrections bigint NOT NULL,
    transfers bigint NOT NULL,
    PRIMARY KEY (bank, link, level),
    CHECK ("primary"::numeric + reserve + overflow + house + wagers + awards + corrections + transfers = 0)
);

-- The equation of conservation (M4) of every link and level, level 0 too: money_in = money_out, so
-- difference is 0. Sources are shown as what came in. What archived rows moved is in the opening balance.
CREATE OR REPLACE VIEW conservation (
    bank, link, level, house, contributions, corrections, transfers, "primary", reserve, overflow, awards,
    money_in, money_out, difference
) AS
WITH line (bank, link, level, house, wagers, corrections, transfers, "primary", reserve, overflow, awards) AS (
    SELECT bank, link, level, house, wagers, corrections, transfers, "primary", reserve, overflow, awards
    FROM opening
    WHERE house <> 0 OR wagers <> 0 OR corrections <> 0 OR transfers <> 0 OR awards <> 0
    UNION ALL
    SELECT posting.bank, link, level, house, wagers, corrections, transfers, "primary", reserve, overflow, awards
    FROM posting
    LEFT JOIN (SELECT bank, max(seq) AS seq FROM opening GROUP BY bank) AS cut ON cut.bank = posting.bank
    WHERE posting.seq > coalesce(cut.seq, 0)
), total (bank, link, level, h, w, c, t, p, r, o, a) AS (
    SELECT bank, link, level, -sum(house), -sum(wagers), -sum(corrections), -sum(transfers),
        sum("primary"), sum(reserve), sum(overflow), sum(awards)
    FROM line
    GROUP BY bank, link, level
)
SELECT bank.name, link, level, h, w, c, t, p, r, o, a, h + w + c + t, p + r + o + a,
    h + w + c + t - (p + r + o + a)
FROM total
JOIN bank ON bank.id = total.bank;
