"""The schema of version 0.1, in one step. A database of an earlier schema is opened with version 0.1 first.

A released migration is never changed: each later change is a new migration. SQLite keeps this text, and
`data.store.operations.inspection` compares it with that of a backup, so columns stand in the order in which 0.1 has
them.
"""

from typing import Final

from alembic import op

revision = "0030"
down_revision = None
branch_labels = None
depends_on = None

TYPES: Final = {
    "sqlite": {
        "serial": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT",
        "number": "INTEGER",
        "bytes": "BLOB",
        "real": "DOUBLE",
        "no": "0",
        "yes": "1",
        "without_rowid": " WITHOUT ROWID",
    },
    "postgresql": {
        "serial": "BIGSERIAL CONSTRAINT pk_{table} PRIMARY KEY",
        "number": "BIGINT",
        "bytes": "BYTEA",
        "real": "DOUBLE PRECISION",
        "no": "false",
        "yes": "true",
        "without_rowid": "",
    },
}
"""Types that have another name in each of the two databases."""

SCHEMA: Final = """
CREATE TABLE matches (
    match_id {serial}, game VARCHAR(40) NOT NULL, guild_id BIGINT NOT NULL, channel_id BIGINT NOT NULL,
    host_id BIGINT NOT NULL, state VARCHAR(8) NOT NULL, seq INTEGER NOT NULL, shown_seq INTEGER NOT NULL,
    board_message_id BIGINT, turn_message_id BIGINT, turn_seat INTEGER, turn_user BIGINT, due_at BIGINT,
    due_kind VARCHAR(20), secret {bytes} NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    private INTEGER DEFAULT '0' NOT NULL,
    CONSTRAINT ck_matches_over CHECK (state IN ('lobby', 'open') OR (due_at IS NULL AND turn_seat IS NULL)),
    CONSTRAINT ck_matches_state CHECK (state IN ('lobby', 'open', 'done', 'void')),
    CONSTRAINT ck_matches_due CHECK ((due_at IS NULL) = (due_kind IS NULL)),
    CONSTRAINT ck_matches_secret CHECK (length(secret) = 32),
    CONSTRAINT ck_matches_shown CHECK (shown_seq <= seq),
    CONSTRAINT ck_matches_turn CHECK (turn_seat IS NOT NULL OR turn_user IS NULL)
);
CREATE INDEX ix_matches_channel ON matches (channel_id, state, created_at);
CREATE INDEX ix_matches_dirty ON matches (match_id) WHERE shown_seq < seq;
CREATE INDEX ix_matches_due ON matches (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_matches_guild ON matches (guild_id, state);
CREATE INDEX ix_matches_over ON matches (updated_at) WHERE state IN ('done', 'void');
CREATE UNIQUE INDEX uq_matches_running ON matches (channel_id) WHERE state IN ('lobby', 'open');

CREATE TABLE alerted (
    user_id BIGINT NOT NULL, match_id BIGINT NOT NULL, at BIGINT NOT NULL,
    CONSTRAINT pk_alerted PRIMARY KEY (user_id, match_id),
    CONSTRAINT fk_alerted_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE
);
CREATE INDEX ix_alerted_at ON alerted (at);
CREATE INDEX ix_alerted_match ON alerted (match_id);

CREATE TABLE alerts (
    user_id BIGINT NOT NULL, guild_id BIGINT NOT NULL, game VARCHAR(40) NOT NULL, reached BOOLEAN NOT NULL,
    since BIGINT NOT NULL,
    CONSTRAINT pk_alerts PRIMARY KEY (user_id, guild_id, game)
);
CREATE INDEX ix_alerts_game ON alerts (guild_id, game);

CREATE TABLE archives (
    match_id BIGINT NOT NULL, body {bytes} NOT NULL,
    CONSTRAINT pk_archives PRIMARY KEY (match_id),
    CONSTRAINT fk_archives_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE
);

CREATE TABLE aside (
    match_id BIGINT NOT NULL, state VARCHAR(8) NOT NULL, seq INTEGER NOT NULL, why VARCHAR(20) NOT NULL,
    since BIGINT NOT NULL,
    CONSTRAINT pk_aside PRIMARY KEY (match_id),
    CONSTRAINT fk_aside_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE
);

CREATE TABLE attack_days (
    day VARCHAR(10) NOT NULL, secret {bytes} NOT NULL, made_at BIGINT NOT NULL,
    CONSTRAINT pk_attack_days PRIMARY KEY (day)
);

CREATE TABLE attacks (
    user_id BIGINT NOT NULL, day VARCHAR(10) NOT NULL, practice BOOLEAN NOT NULL, version INTEGER NOT NULL,
    counted BOOLEAN NOT NULL, acts TEXT NOT NULL, points INTEGER, guild_id BIGINT, begun_at BIGINT NOT NULL,
    ended_at BIGINT, shared_at BIGINT,
    CONSTRAINT pk_attacks PRIMARY KEY (user_id, day, practice)
);
CREATE INDEX ix_attacks_day ON attacks (day);
CREATE INDEX ix_attacks_list ON attacks (guild_id, day);

CREATE TABLE bands (
    guild_id BIGINT NOT NULL, game VARCHAR(40) NOT NULL, band INTEGER NOT NULL, people INTEGER NOT NULL,
    CONSTRAINT pk_bands PRIMARY KEY (guild_id, game, band)
);

CREATE TABLE bests (
    guild_id BIGINT NOT NULL, game VARCHAR(40) NOT NULL, counted BOOLEAN NOT NULL, user_id BIGINT NOT NULL,
    hidden BOOLEAN DEFAULT {no} NOT NULL, move INTEGER, move_match BIGINT, score INTEGER, score_match BIGINT,
    hexagons INTEGER, hexagons_match BIGINT, streak INTEGER, streak_match BIGINT, longest INTEGER,
    longest_match BIGINT, running INTEGER DEFAULT '0' NOT NULL,
    CONSTRAINT pk_bests PRIMARY KEY (guild_id, game, counted, user_id)
);
CREATE INDEX ix_bests_hexagons ON bests (guild_id, game, counted, hidden, hexagons);
CREATE INDEX ix_bests_longest ON bests (guild_id, game, counted, hidden, longest);
CREATE INDEX ix_bests_move ON bests (guild_id, game, counted, hidden, move);
CREATE INDEX ix_bests_score ON bests (guild_id, game, counted, hidden, score);
CREATE INDEX ix_bests_streak ON bests (guild_id, game, counted, hidden, streak);
CREATE INDEX ix_bests_user ON bests (user_id);

CREATE TABLE deals (
    deal_id {serial}, guild_id BIGINT NOT NULL, channel_id BIGINT NOT NULL, name VARCHAR(40) NOT NULL,
    terms TEXT NOT NULL, secret {bytes} NOT NULL, tables INTEGER NOT NULL, made_at BIGINT NOT NULL,
    closes_at BIGINT NOT NULL, opened_at BIGINT,
    CONSTRAINT uq_deals_guild_id_name UNIQUE (guild_id, name)
);
CREATE INDEX ix_deals_sealed ON deals (closes_at) WHERE opened_at IS NULL;

CREATE TABLE deal_matches (
    match_id BIGINT NOT NULL, deal_id {number} NOT NULL,
    CONSTRAINT pk_deal_matches PRIMARY KEY (match_id),
    CONSTRAINT fk_deal_matches_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE,
    CONSTRAINT fk_deal_matches_deal_id FOREIGN KEY (deal_id) REFERENCES deals (deal_id) ON DELETE CASCADE
);
CREATE INDEX ix_deal_matches_deal ON deal_matches (deal_id);

CREATE TABLE deal_news (
    deal_id {number} NOT NULL, kind VARCHAR(8) NOT NULL, created_at BIGINT NOT NULL, next_at BIGINT,
    attempts INTEGER NOT NULL, message_id BIGINT,
    CONSTRAINT pk_deal_news PRIMARY KEY (deal_id, kind),
    CONSTRAINT fk_deal_news_deal_id FOREIGN KEY (deal_id) REFERENCES deals (deal_id) ON DELETE CASCADE
);
CREATE INDEX ix_deal_news_due ON deal_news (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE deal_sitters (
    deal_id {number} NOT NULL, user_id BIGINT NOT NULL, match_id BIGINT NOT NULL,
    CONSTRAINT pk_deal_sitters PRIMARY KEY (deal_id, user_id),
    CONSTRAINT fk_deal_sitters_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE,
    CONSTRAINT fk_deal_sitters_deal_id FOREIGN KEY (deal_id) REFERENCES deals (deal_id) ON DELETE CASCADE
);
CREATE INDEX ix_deal_sitters_match ON deal_sitters (match_id);
CREATE INDEX ix_deal_sitters_user ON deal_sitters (user_id);

CREATE TABLE seasons (
    season_id {serial}, previous_id BIGINT, request_id BIGINT, guild_id BIGINT NOT NULL, channel_id BIGINT NOT NULL,
    state VARCHAR(8) NOT NULL, seq INTEGER NOT NULL, shown_seq INTEGER NOT NULL, due_at BIGINT,
    attempts INTEGER NOT NULL, trouble INTEGER, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    CONSTRAINT ck_seasons_state CHECK (state IN ('signup', 'running', 'over', 'off')),
    CONSTRAINT ck_seasons_shown CHECK (shown_seq <= seq),
    CONSTRAINT uq_seasons_previous_id UNIQUE (previous_id),
    CONSTRAINT uq_seasons_request_id UNIQUE (request_id)
);
CREATE INDEX ix_seasons_due ON seasons (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_seasons_guild ON seasons (guild_id, created_at);
CREATE INDEX ix_seasons_underway ON seasons (guild_id) WHERE state IN ('signup', 'running');

CREATE TABLE entrants (
    season_id {number} NOT NULL, player INTEGER NOT NULL, user_id BIGINT,
    CONSTRAINT pk_entrants PRIMARY KEY (season_id, player),
    CONSTRAINT fk_entrants_season_id FOREIGN KEY (season_id) REFERENCES seasons (season_id) ON DELETE CASCADE,
    CONSTRAINT uq_entrants_season_id_user_id UNIQUE (season_id, user_id)
);
CREATE INDEX ix_entrants_user ON entrants (user_id);

CREATE TABLE events (
    match_id BIGINT NOT NULL, seq INTEGER NOT NULL, kind VARCHAR(20) NOT NULL, body TEXT NOT NULL,
    at BIGINT NOT NULL,
    CONSTRAINT pk_events PRIMARY KEY (match_id, seq),
    CONSTRAINT fk_events_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE
);
CREATE INDEX ix_events_rulings ON events (match_id, seq) WHERE kind IN ('stopped', 'paused', 'resumed', 'skipped');

CREATE TABLE facts (
    name VARCHAR(40) NOT NULL, value VARCHAR(64) NOT NULL,
    CONSTRAINT pk_facts PRIMARY KEY (name)
);

CREATE TABLE figures (
    user_id BIGINT NOT NULL, figure VARCHAR(24) NOT NULL, version INTEGER NOT NULL, acts TEXT NOT NULL,
    hints INTEGER NOT NULL, solved_at BIGINT, shared_at BIGINT, updated_at BIGINT NOT NULL,
    CONSTRAINT pk_figures PRIMARY KEY (user_id, figure)
);
CREATE INDEX ix_figures_updated ON figures (updated_at);

CREATE TABLE fixtures (
    match_id BIGINT NOT NULL, season_id {number} NOT NULL, number INTEGER NOT NULL,
    CONSTRAINT pk_fixtures PRIMARY KEY (match_id),
    CONSTRAINT fk_fixtures_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE,
    CONSTRAINT fk_fixtures_season_id FOREIGN KEY (season_id) REFERENCES seasons (season_id) ON DELETE CASCADE,
    CONSTRAINT uq_fixtures_season_id_number UNIQUE (season_id, number)
);

CREATE TABLE forgotten (
    mark VARCHAR(64) NOT NULL, at BIGINT NOT NULL,
    CONSTRAINT pk_forgotten PRIMARY KEY (mark)
);

CREATE TABLE guilds (
    guild_id BIGINT NOT NULL, settings TEXT NOT NULL, left_at BIGINT, updated_at BIGINT NOT NULL,
    CONSTRAINT pk_guilds PRIMARY KEY (guild_id)
);

CREATE TABLE notes (
    match_id BIGINT NOT NULL, user_id BIGINT NOT NULL, text TEXT NOT NULL, at BIGINT NOT NULL,
    CONSTRAINT pk_notes PRIMARY KEY (match_id, user_id),
    CONSTRAINT fk_notes_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE
);
CREATE INDEX ix_notes_at ON notes (at);
CREATE INDEX ix_notes_user ON notes (user_id);

CREATE TABLE outages (
    began BIGINT NOT NULL, shard INTEGER DEFAULT '0' NOT NULL, shards INTEGER DEFAULT '1' NOT NULL,
    ended BIGINT NOT NULL,
    CONSTRAINT pk_outages PRIMARY KEY (began, shard, shards)
);

CREATE TABLE outbox (
    dedupe VARCHAR(25) NOT NULL, match_id BIGINT NOT NULL, seq INTEGER DEFAULT '0' NOT NULL,
    number BIGINT DEFAULT '0' NOT NULL, channel_id BIGINT NOT NULL, kind VARCHAR(20) NOT NULL, body TEXT NOT NULL,
    next_at BIGINT, noted_at BIGINT, attempts INTEGER NOT NULL, message_id BIGINT, created_at BIGINT NOT NULL,
    CONSTRAINT pk_outbox PRIMARY KEY (dedupe),
    CONSTRAINT ck_outbox_nonce CHECK (length(dedupe) <= 25),
    CONSTRAINT ck_outbox_sent CHECK (next_at IS NULL OR message_id IS NULL),
    CONSTRAINT fk_outbox_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE
){without_rowid};
CREATE INDEX ix_outbox_created ON outbox (created_at);
CREATE INDEX ix_outbox_match ON outbox (match_id);
CREATE INDEX ix_outbox_next ON outbox (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE participants (
    match_id BIGINT NOT NULL, number INTEGER NOT NULL, user_id BIGINT,
    CONSTRAINT pk_participants PRIMARY KEY (match_id, number),
    CONSTRAINT fk_participants_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE,
    CONSTRAINT uq_participants_match_id_user_id UNIQUE (match_id, user_id)
);
CREATE INDEX ix_participants_user ON participants (user_id);

CREATE TABLE people (
    user_id BIGINT NOT NULL, quick BOOLEAN NOT NULL, pings VARCHAR(8) NOT NULL, created_at BIGINT NOT NULL,
    preferences TEXT DEFAULT '{{}}' NOT NULL,
    CONSTRAINT pk_people PRIMARY KEY (user_id),
    CONSTRAINT ck_people_pings CHECK (pings IN ('channel', 'dm', 'none'))
);

CREATE TABLE premoves (
    match_id BIGINT NOT NULL, user_id BIGINT NOT NULL, body TEXT NOT NULL,
    CONSTRAINT pk_premoves PRIMARY KEY (match_id, user_id),
    CONSTRAINT fk_premoves_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE
);
CREATE INDEX ix_premoves_user ON premoves (user_id);

CREATE TABLE pulses (
    name VARCHAR(40) NOT NULL, at BIGINT NOT NULL,
    CONSTRAINT pk_pulses PRIMARY KEY (name)
);

CREATE TABLE puzzle_ratings (
    game VARCHAR(40) NOT NULL, day VARCHAR(10) NOT NULL, mu {real} NOT NULL, sigma {real} NOT NULL,
    tried INTEGER NOT NULL, solved INTEGER NOT NULL,
    CONSTRAINT pk_puzzle_ratings PRIMARY KEY (game, day)
);

CREATE TABLE puzzle_shares (
    guild_id BIGINT NOT NULL, game VARCHAR(40) NOT NULL, day VARCHAR(10) NOT NULL, user_id BIGINT NOT NULL,
    at BIGINT NOT NULL, ranked BIGINT,
    CONSTRAINT pk_puzzle_shares PRIMARY KEY (guild_id, game, day, user_id)
);
CREATE INDEX ix_puzzle_shares_table ON puzzle_shares (guild_id, game, day, ranked);
CREATE INDEX ix_puzzle_shares_user ON puzzle_shares (user_id);

CREATE TABLE puzzle_tries (
    user_id BIGINT NOT NULL, game VARCHAR(40) NOT NULL, day VARCHAR(10) NOT NULL, counted BOOLEAN NOT NULL,
    hinted BOOLEAN DEFAULT {no} NOT NULL, answers TEXT DEFAULT '' NOT NULL, solved BOOLEAN,
    begun_at BIGINT NOT NULL, ended_at BIGINT, mu {real}, sigma {real}, puzzle_mu {real}, puzzle_sigma {real},
    CONSTRAINT pk_puzzle_tries PRIMARY KEY (user_id, game, day)
);
CREATE INDEX ix_puzzle_tries_ended ON puzzle_tries (user_id, game, counted, ended_at);

CREATE TABLE recents (
    guild_id BIGINT NOT NULL, game VARCHAR(40) NOT NULL, user_id BIGINT NOT NULL, matches INTEGER NOT NULL,
    rated INTEGER NOT NULL, wins INTEGER NOT NULL, points INTEGER NOT NULL, met INTEGER NOT NULL,
    average {real} NOT NULL, hidden BOOLEAN DEFAULT {no} NOT NULL,
    CONSTRAINT pk_recents PRIMARY KEY (guild_id, game, user_id)
);
CREATE INDEX ix_recents_rank ON recents (guild_id, game, hidden, met, wins, average, user_id);

CREATE TABLE requests (
    interaction_id BIGINT NOT NULL, match_id BIGINT NOT NULL, seq INTEGER NOT NULL, at BIGINT NOT NULL,
    CONSTRAINT pk_requests PRIMARY KEY (interaction_id),
    CONSTRAINT fk_requests_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE
);
CREATE INDEX ix_requests_match ON requests (match_id);

CREATE TABLE results (
    match_id BIGINT NOT NULL, user_id BIGINT NOT NULL, guild_id BIGINT NOT NULL, game VARCHAR(40) NOT NULL,
    place INTEGER NOT NULL, seats INTEGER NOT NULL, people INTEGER NOT NULL, score INTEGER NOT NULL,
    best_move INTEGER NOT NULL, hexagons INTEGER NOT NULL, bridges INTEGER NOT NULL, rated BOOLEAN NOT NULL,
    won BOOLEAN NOT NULL, mu_before {real}, sigma_before {real}, mu_after {real}, sigma_after {real},
    ended_at BIGINT NOT NULL, mu_everywhere {real}, sigma_everywhere {real}, opponents INTEGER DEFAULT '0' NOT NULL,
    opponents_everywhere INTEGER DEFAULT '0' NOT NULL, finished BOOLEAN DEFAULT {yes} NOT NULL,
    counts BOOLEAN DEFAULT {yes} NOT NULL, counts_everywhere BOOLEAN DEFAULT {yes} NOT NULL, moves INTEGER,
    CONSTRAINT pk_results PRIMARY KEY (match_id, user_id)
);
CREATE INDEX ix_results_ended ON results (ended_at);
CREATE INDEX ix_results_guild ON results (guild_id, game, ended_at);
CREATE INDEX ix_results_user ON results (user_id, ended_at);

CREATE TABLE reviews (
    match_id BIGINT NOT NULL, body {bytes} NOT NULL, seats TEXT NOT NULL, made_at BIGINT NOT NULL, shown_at BIGINT,
    CONSTRAINT pk_reviews PRIMARY KEY (match_id),
    CONSTRAINT fk_reviews_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE
);

CREATE TABLE season_events (
    season_id {number} NOT NULL, seq INTEGER NOT NULL, kind VARCHAR(20) NOT NULL, body TEXT NOT NULL,
    at BIGINT NOT NULL,
    CONSTRAINT pk_season_events PRIMARY KEY (season_id, seq),
    CONSTRAINT fk_season_events_season_id FOREIGN KEY (season_id) REFERENCES seasons (season_id) ON DELETE CASCADE
);

CREATE TABLE season_messages (
    number {serial}, season_id {number} NOT NULL, channel_id BIGINT NOT NULL, state VARCHAR(8) NOT NULL,
    message_id BIGINT, begun_at BIGINT NOT NULL,
    CONSTRAINT fk_season_messages_season_id FOREIGN KEY (season_id) REFERENCES seasons (season_id) ON DELETE CASCADE
);
CREATE INDEX ix_season_messages_season ON season_messages (season_id);

CREATE TABLE seats (
    match_id BIGINT NOT NULL, seat INTEGER NOT NULL, user_id BIGINT, computer VARCHAR(40),
    joined_at BIGINT NOT NULL,
    CONSTRAINT pk_seats PRIMARY KEY (match_id, seat),
    CONSTRAINT ck_seats_sitter CHECK (user_id IS NULL OR computer IS NULL),
    CONSTRAINT fk_seats_match_id FOREIGN KEY (match_id) REFERENCES matches (match_id) ON DELETE CASCADE,
    CONSTRAINT uq_seats_match_id_user_id UNIQUE (match_id, user_id)
);
CREATE INDEX ix_seats_user ON seats (user_id);

CREATE TABLE spans (
    name VARCHAR(40) NOT NULL, since BIGINT NOT NULL,
    CONSTRAINT pk_spans PRIMARY KEY (name)
);

CREATE TABLE standings (
    guild_id BIGINT NOT NULL, game VARCHAR(40) NOT NULL, user_id BIGINT NOT NULL, matches INTEGER NOT NULL,
    wins INTEGER NOT NULL, points INTEGER NOT NULL, best_score INTEGER NOT NULL, best_move INTEGER NOT NULL,
    hexagons INTEGER NOT NULL, bridges INTEGER NOT NULL, mu {real}, sigma {real}, ordinal {real},
    updated_at BIGINT NOT NULL, finished INTEGER DEFAULT '0' NOT NULL, opponents INTEGER DEFAULT '0' NOT NULL,
    hidden BOOLEAN DEFAULT {no} NOT NULL,
    CONSTRAINT pk_standings PRIMARY KEY (guild_id, game, user_id),
    CONSTRAINT ck_standings_rating CHECK ((mu IS NULL) = (sigma IS NULL) AND (ordinal IS NULL OR mu IS NOT NULL))
);
CREATE INDEX ix_standings_rank ON standings (guild_id, game, hidden, ordinal, wins, points, user_id);
CREATE INDEX ix_standings_user ON standings (user_id);

CREATE TABLE weekly_deals (
    guild_id BIGINT NOT NULL, channel_id BIGINT NOT NULL, terms TEXT NOT NULL, next_at BIGINT NOT NULL,
    CONSTRAINT pk_weekly_deals PRIMARY KEY (guild_id)
);
CREATE INDEX ix_weekly_deals_next ON weekly_deals (next_at);

INSERT INTO spans (name, since) VALUES ('recent', 0);
"""


def upgrade() -> None:
    types = TYPES[op.get_context().dialect.name]
    for statement in SCHEMA.strip().removesuffix(";").split(";\n"):
        serial = types["serial"].format(table=statement.split()[2])
        op.execute(statement.format(**types | {"serial": serial}))
