"""Sentences of refusals and alarms: one row each, with its id, its code, what varies in it, and its English.

A row's id, its code and its fields are never changed, and never used again for another sentence: the journal
holds them for ever. The English may be reworded. What is no longer said stays, for the rows that hold it.
"""

from typing import Final, Literal, NamedTuple, get_args

from jackpot.rules.codes import Code

Kind = Literal["plain", "quoted", "person", "sum", "word", "phrase", "phrases", "list", "words", "either"]
"""How a value is told.

plain: as it is; a number, or an id of ours. quoted: typed by somebody. person: by number, or a name. sum: of
micro-dollars. word: one of our own, such as a role. phrase: another sentence of this table. phrases, list,
words: several sentences, values or words, after each other. either: words of which one is enough.
"""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

# In place of a row's field where a value of that name says which it is.
NAMED: Final = "{field}"


class Template(NamedTuple):
    """One sentence. code: of the refusal; None for a part of other sentences, and for what an alarm says.

    english: with the names of its values in braces. fields: those names in the order in which values stand in
    the journal, each with its kind unless that is plain. field: which field of the command is wrong; "" where
    none is.
    """

    code: Code | None
    english: str
    fields: tuple[str, ...] = ()
    field: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its values."""
        return tuple(field.partition(":")[0] for field in self.fields)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """How each of its values is told."""
        said = [field.partition(":")[2] or "plain" for field in self.fields]
        return tuple(kind for one in said for kind in KINDS if kind == one)


TEMPLATES: Final[dict[str, Template]] = {
    # Of tables' frames.
    "frame_malformed": Template(Code.BAD_MESSAGE, "{complaint}", ("field", "complaint"), field=NAMED),
    "seq_gap": Template(Code.SEQ_GAP, "{next} comes next", ("next",), field="seq"),
    "seq_conflict": Template(Code.SEQ_CONFLICT, "it was used with other content", field="seq"),
    "seq_old": Template(Code.SEQ_OLD, "older than the last {count} answers", ("count",), field="seq"),
    "internal_error": Template(Code.INTERNAL, "{error}", ("error",)),
    "round_not_unfinished": Template(
        Code.NO_SUCH_ROUND, "{round} is not this table's unfinished round", ("round:quoted",), field="round"
    ),
    "round_ended_already": Template(
        Code.NO_SUCH_ROUND,
        "{round} is not this table's unfinished round (it has ended; a closed round is reopened first)",
        ("round:quoted",),
        field="round",
    ),
    "no_bets": Template(Code.BAD_MESSAGE, "at least one", field="bets"),
    "link_is_suspended": Template(
        Code.SUSPENDED, "{link} is suspended ({reasons})", ("link", "reasons:list"), field="link"
    ),
    "trigger_missing": Template(
        Code.SUSPENDED,
        "the trigger of {link} {level} is not to be had now",
        ("link", "level"),
        field="link",
    ),
    "cards_must_stay": Template(
        Code.TABLE_HELD, "the cards of a cage award stay on the table until it is documented or released"
    ),
    "too_many_rounds_a_minute": Template(
        Code.UNREASONABLE, "more than {limit} rounds in a minute", ("limit",), field="round"
    ),
    "lamp_of_no_award": Template(
        Code.NO_SUCH_AWARD,
        "table {table} has no award {award} that stands, of a hit that waits for people or of its last round",
        ("award:quoted", "table"),
        field="award",
    ),
    "lamp_flickers": Template(
        Code.UNREASONABLE, "the lamp of A{award} changed {most} times", ("award", "most"), field="state"
    ),
    "too_many_bets": Template(Code.TOO_MANY, "a round holds {most} at most", ("most",), field="bets"),
    "link_without_dealer_wagers": Template(
        Code.BAD_MESSAGE, "link {link} takes no wager on the dealer's hand here", ("link",), field="on"
    ),
    "amount_not_exact": Template(
        Code.WRONG_AMOUNT,
        "{amount} cents; link {link} takes exactly {exact}",
        ("amount", "link", "exact"),
        field="amount",
    ),
    "amount_out_of_bounds": Template(
        Code.WRONG_AMOUNT,
        "{amount} cents; link {link} takes {least} to {most}, in steps of {unit}",
        ("amount", "link", "least", "most", "unit"),
        field="amount",
    ),
    "wager_made_already": Template(
        Code.DUPLICATE_WAGER, "{seat} has made this wager already", ("seat",), field="seat"
    ),
    "no_withdrawal_after_lock": Template(
        Code.LOCKED_OUT, "no wager is taken back after the lock", field="round"
    ),
    "wager_named_twice": Template(Code.DUPLICATE_WAGER, "one wager is named twice", field="bets"),
    "no_such_wager": Template(
        Code.NO_WAGER, "{seat} has no such wager in this round", ("seat",), field="seat"
    ),
    "round_was_reopened": Template(
        Code.ROUND_UNFINISHED, "{round} was reopened", ("round:quoted",), field="round"
    ),
    "count_stays_after_cards": Template(
        Code.CHIP_MISMATCH, "cards were shown after a count that agreed; that count stays", field="chips"
    ),
    "count_stays_when_abandoned": Template(
        Code.CHIP_MISMATCH,
        "the count agreed before the table said that seat {seats} was abandoned; that count stays",
        ("seats:list",),
        field="chips",
    ),
    "seat_of_other_player": Template(
        Code.BAD_MESSAGE, "seat {seat} is {player}'s", ("seat", "player:quoted"), field="player"
    ),
    "seats_not_adjacent": Template(
        Code.BAD_MESSAGE,
        "{player} may play {most} neighbouring seats at most",
        ("player:quoted", "most"),
        field="player",
    ),
    "seat_without_player_name": Template(
        Code.BAD_MESSAGE, "seat {seat} belongs to a player without a name", ("seat",), field="player"
    ),
    "round_has_ended": Template(Code.LOCKED_OUT, "it has ended", field="round"),
    "round_not_finished": Template(
        Code.ROUND_UNFINISHED, "{round} is not finished", ("round:quoted",), field="round"
    ),
    "no_more_bets": Template(Code.LOCKED_OUT, "no more bets", field="round"),
    "reopening_holds_table": Template(
        Code.TABLE_HELD,
        "somebody asked to reopen the last round: a second person answers, or the hold ends after 15 minutes",
    ),
    "link_not_of_table": Template(
        Code.UNKNOWN_LINK, "{link} is no link of table {table}", ("link:quoted", "table"), field="link"
    ),
    "seat_above_table": Template(
        Code.UNKNOWN_SEAT, "{seat} is above the table's {most}", ("seat", "most"), field="seat"
    ),
    "dealer_wagers_unpaid": Template(
        Code.BAD_MESSAGE, "wagers on the dealer's hand are unpaid; show it first", field="dealer"
    ),
    "round_has_awards": Template(
        Code.AWARD_STANDING, "it has awards; a floorperson undoes them first", field="round"
    ),
    "abandoned_alone": Template(
        Code.BAD_MESSAGE,
        "seat {seat}: with abandoned come its cards alone, once a floorperson has confirmed it",
        ("seat",),
        field="abandoned",
    ),
    "abandoned_unconfirmed": Template(
        Code.BAD_MESSAGE,
        "no floorperson has confirmed seat {seat}; send it without cards, and with them after that",
        ("seat",),
        field="abandoned",
    ),
    "abandoned_too_late": Template(
        Code.BAD_MESSAGE, "the round was closed before; seat {seat} has lost", ("seat",), field="abandoned"
    ),
    "abandoned_not_of_link": Template(
        Code.BAD_MESSAGE,
        "{link} plays by the rules of Massachusetts, which know no abandoned wager; leave seat {seat} out",
        ("seat", "link"),
        field="abandoned",
    ),
    "abandoned_waits": Template(
        Code.BAD_MESSAGE,
        "a floorperson first answers for seat {seats} on the table's page, or with `jackpot rounds "
        "decide-abandoned`; then close the round",
        ("seats:list",),
        field="abandoned",
    ),
    "abandoned_would_win": Template(
        Code.BAD_MESSAGE,
        "seat {seat} would win by this; a floorperson first answers whether it is abandoned",
        ("seat",),
        field="abandoned",
    ),
    "abandoned_without_wager": Template(
        Code.NO_WAGER, "seat {seat} has no wager in this round", ("seat",), field="abandoned"
    ),
    "abandoned_has_lost": Template(
        Code.NOT_MISMATCH,
        "seat {seat} was abandoned, so its wagers have lost",
        ("seat",),
        field="seat",
    ),
    "abandoned_not_asked": Template(
        Code.NO_SUCH_ROUND, "the table does not say that seat {seat} was abandoned", ("seat",), field="seat"
    ),
    "void_settles_for_no_cause": Template(
        Code.BAD_MESSAGE,
        "a void lets wagers be settled for {causes} alone; leave it out, and every wager goes back",
        ("causes:either",),
        field="settles",
    ),
    "void_settles_no_trips": Template(
        Code.BAD_MESSAGE,
        "{link} is no Trips Wager of Ultimate Texas Hold 'Em; leave it out, and its wagers go back",
        ("link",),
        field="settles",
    ),
    "void_after_settling": Template(
        Code.ALREADY_SETTLED,
        "hands of it were settled; a void that lets wagers be settled comes before them",
        field="settles",
    ),
    "round_not_locked": Template(Code.NOT_LOCKED, "it is not locked", field="round"),
    "chip_count_differs": Template(Code.CHIP_MISMATCH, "the count differs, or has not come", field="chips"),
    "round_never_closed": Template(Code.OUT_OF_ORDER, "the round was never closed", field="hands"),
    "too_many_awards": Template(
        Code.TOO_MANY, "{count} awards; send it seat by seat", ("count",), field="hands"
    ),
    "card_unknown": Template(Code.BAD_MESSAGE, "{card} is no card", ("field", "card:quoted"), field=NAMED),
    "card_count_wrong": Template(
        Code.BAD_MESSAGE,
        "{game} deals {deals} to a hand, not {sent}",
        ("game", "deals", "sent"),
        field="cards",
    ),
    "board_count_wrong": Template(
        Code.BAD_MESSAGE, "{game} has {wanted}, not {sent}", ("game", "wanted:either", "sent"), field="board"
    ),
    "game_without_fold": Template(Code.BAD_MESSAGE, "{game} has no fold", ("game",), field="folded"),
    "seat_shows_nothing": Template(
        Code.BAD_MESSAGE, "seat {seat} shows neither cards nor a named hand", ("seat",), field="cards"
    ),
    "seat_named_twice": Template(Code.BAD_MESSAGE, "seat {seat} is named twice", ("seat",), field="hands"),
    "seat_shows_two_hands": Template(
        Code.BAD_MESSAGE, "seat {seat} shows two different hands", ("seat",), field="cards"
    ),
    "board_too_short": Template(
        Code.BAD_MESSAGE, "link {link} needs more community cards", ("link",), field="board"
    ),
    "hand_not_of_cards": Template(
        Code.HAND_MISMATCH,
        "seat {seat} claims {claimed}, its cards are {ranked}",
        ("seat", "claimed:word", "ranked:word"),
        field="hand",
    ),
    "hand_needs_link": Template(
        Code.BAD_MESSAGE,
        "the seat's links count different cards; say which link the hand is for",
        field="link",
    ),
    "bonus_count_wrong": Template(
        Code.BAD_MESSAGE,
        "{game} deals {deals} Six Card Bonus cards, not {sent}",
        ("game", "deals", "sent"),
        field="bonus",
    ),
    "bonus_differs": Template(Code.BAD_MESSAGE, "differs from the cards sent before", field="bonus"),
    "bonus_missing": Template(
        Code.BAD_MESSAGE, "link {link} needs the Six Card Bonus cards", ("link",), field="bonus"
    ),
    "offer_dealer_missing": Template(
        Code.BAD_MESSAGE, "link {link} needs the dealer's hand", ("link",), field="dealer"
    ),
    "players_missing": Template(
        Code.BAD_MESSAGE, "link {link} needs the number of players at the lock", ("link",), field="players"
    ),
    "players_out_of_bounds": Template(
        Code.BAD_MESSAGE,
        "{players}; seats with wagers are {least}, the table's {most}",
        ("players", "least", "most"),
        field="players",
    ),
    "players_stay_after_cards": Template(
        Code.BAD_MESSAGE, "cards were shown; {players} players stay", ("players",), field="players"
    ),
    "players_not_shown": Template(
        Code.BAD_MESSAGE,
        "link {link} needs the cards of all {players} players, and {shown} seats showed theirs",
        ("link", "players", "shown"),
        field="players",
    ),
    "offer_needs_cards": Template(
        Code.BAD_MESSAGE, "link {link} takes a hand by its cards alone", ("link",), field="hand"
    ),
    "hand_not_of_link": Template(
        Code.BAD_MESSAGE, "{hand} is no hand of link {link}", ("hand:quoted", "link"), field="hand"
    ),
    "hand_needs_suit": Template(
        Code.BAD_MESSAGE, "link {link} tells suits of {hand} apart", ("link", "hand:word"), field="suit"
    ),
    "seat_out_of_order": Template(
        Code.OUT_OF_ORDER,
        "{high} is to be settled before {low}, the highest seat first",
        ("high", "low"),
        field="seat",
    ),
    "seat_after_late_folds": Template(
        Code.OUT_OF_ORDER,
        "{seat} is to be settled before the folded hands that come after the others",
        ("seat",),
        field="seat",
    ),
    "seat_settled_already": Template(
        Code.ALREADY_SETTLED, "{seat} was settled already", ("seat",), field="seat"
    ),
    "no_wager_on_link": Template(
        Code.NO_WAGER, "nobody has a wager on {link} in this round", ("link",), field="link"
    ),
    "one_settle_was_taken": Template(
        Code.BAD_MESSAGE,
        "a shared link and the dealer's hand need all hands in one settle; it was taken before",
        field="hands",
    ),
    "one_settle_lacks_seats": Template(
        Code.BAD_MESSAGE,
        "a shared link and the dealer's hand need all hands in one settle: missing {seats}; with "
        "`close` a seat left out has lost",
        ("seats:list",),
        field="hands",
    ),
    "dealer_hand_missing": Template(Code.BAD_MESSAGE, "wagers stand on the dealer's hand", field="dealer"),
    "dealer_count_wrong": Template(
        Code.BAD_MESSAGE, "{count} cards, not {shown}", ("count", "shown"), field="dealer"
    ),
    "card_shown_twice": Template(
        Code.IMPOSSIBLE_CARDS, "{card} is shown {count} times", ("card", "count"), field="cards"
    ),
    "board_differs": Template(Code.BAD_MESSAGE, "differs from the cards sent before", field="board"),
    "dealer_differs": Template(Code.BAD_MESSAGE, "differs from the cards sent before", field="dealer"),
    # Of any act.
    "key_used": Template(Code.KEY_USED, "the key was used for another act"),
    "bank_ended": Template(Code.BANK_CLOSED, "bank {bank} ended: it became part of {into}", ("bank", "into")),
    "two_people": Template(Code.TWO_PEOPLE, "two different people must confirm this: {why}", ("why:phrase",)),
    "two_people_other": Template(
        Code.TWO_PEOPLE,
        "two different people must confirm this: {why} ({fault})",
        ("why:phrase", "fault:phrase"),
    ),
    "signer_missing": Template(Code.NO_PERSON, "say who does this", field="by"),
    "name_empty": Template(Code.NO_PERSON, "a name is empty", field="by"),
    "name_faulty": Template(Code.BAD_REQUEST, "{fault}", ("fault:phrase",), field="by"),
    "signer_fault": Template(Code.NOT_ALLOWED, "{fault}", ("fault:phrase",), field="by"),
    "signers_stale": Template(
        Code.STALE, "the people are those of row {row}, row {seen} was seen", ("row", "seen")
    ),
    "sign_in_needed": Template(
        Code.NO_PERSON, "the site has people, and one of them must sign in", field="by"
    ),
    "may_not": Template(
        Code.NOT_ALLOWED,
        "{person} may not {act}: only {power} may",
        ("person:person", "act:word", "power:either"),
        field="by",
    ),
    "may_not_cage_pays": Template(
        Code.NOT_ALLOWED,
        "{person} may not {act}: only {power} may; the cage pays it",
        ("person:person", "act:word", "power:either"),
        field="by",
    ),
    "may_not_server_does": Template(
        Code.NOT_ALLOWED,
        "{person} may not {act}: only the server itself may",
        ("person:person", "act:word"),
        field="by",
    ),
    "may_not_reject": Template(
        Code.NOT_ALLOWED,
        "{person} may not {act}, so cannot reject it",
        ("person:person", "act:word"),
        field="by",
    ),
    "cannot_be_done": Template(Code.INTERNAL, "it cannot be done: {error}", ("error",)),
    # Why two people are needed.
    "why_round_was_closed": Template(None, "the cards of a round that was closed are known"),
    "why_meter_corrected": Template(None, "a meter is corrected"),
    "why_left_decided": Template(None, "what is left on a meter is decided on"),
    "why_money_transferred": Template(None, "a link's money is transferred"),
    "why_link_closed": Template(None, "a link is closed"),
    "why_link_ends": Template(None, "the end of a link is announced, and where its money goes"),
    "why_end_withdrawn": Template(None, "two people announced that the link ends"),
    "why_triggers_replaced": Template(None, "running triggers are replaced"),
    "why_later_award": Template(None, "a later award of the level exists"),
    "why_mystery_undone": Template(None, "a mystery award is undone"),
    "why_final_undone": Template(
        None, "final awards of a round are undone that come to as much as one that waits for people"
    ),
    "why_papers_erased": Template(None, "papers are erased before their time is over"),
    "why_award_corrected": Template(None, "an award is corrected"),
    "why_name_erased": Template(None, "a name is erased before its time is over"),
    "why_parameters_change": Template(None, "a link's parameters change"),
    "why_dealer_wager_struck": Template(None, "a wager on a dealer's hand that cannot be shown is struck"),
    "why_offer_wager_struck": Template(None, "a wager is struck whose cards cannot be shown"),
    "why_dispute_lifted": Template(None, "a dispute is lifted"),
    "why_links_resume": Template(None, "links resume after {cause}", ("cause:quoted",)),
    "why_lost_acks": Template(None, "what the ledger has lost is confirmed, or that it has lost nothing"),
    "why_role_given": Template(None, "a person gets a role"),
    "why_password_reset": Template(None, "a person's password is reset"),
    "why_rows_archived": Template(None, "rows are taken out of the ledger"),
    "why_program_released": Template(None, "a program is the one that was released"),
    # What is wrong with signers.
    "same_person": Template(None, "{person} is the same person", ("person:person",)),
    "signed_in_by_other_means": Template(
        None,
        "{person} signed in by their {means}, and signs with their own password",
        ("person:person", "means:word"),
    ),
    "password_by_code": Template(
        None, "{person} chose their password with a code from {giver}", ("person:person", "giver:person")
    ),
    "made_without_server": Template(None, "{person} was made where no server ran", ("person:person",)),
    "password_without_issuer": Template(None, "the password of {person} has no issuer", ("person:person",)),
    "same_origin": Template(
        None,
        "{origin}, and {other} likewise: another admin vouches for one of them first",
        ("origin:phrase", "other:person"),
    ),
    "signer_unknown": Template(None, "there is no person {number}", ("number",)),
    "signer_left": Template(None, "{person} has left", ("person:person",)),
    "signer_without_role": Template(None, "{person} is not {roles}", ("person:person", "roles:words")),
    "signer_without_password": Template(None, "{person} has no password", ("person:person",)),
    "signer_has_password": Template(None, "{person} has a password", ("person:person",)),
    "signer_vouched_for": Template(
        None, "{person} was vouched for by {voucher}", ("person:person", "voucher:person")
    ),
    "signer_lost_right": Template(
        None, "{person} lost a right in row {row}, and not in row {said}", ("person:person", "row", "said")
    ),
    "signer_without_token": Template(None, "{person} has no such token", ("person:person",)),
    # What is wrong with a name.
    "name_length": Template(None, "1 to {most} printable characters", ("most",)),
    "name_unreadable": Template(None, "{name} has neither a letter nor a digit", ("name:quoted",)),
    "name_sign": Template(
        None,
        "{name} holds {sign}: a name has letters, digits, and the signs of a keyboard",
        ("name:quoted", "sign:quoted"),
    ),
    "name_scripts": Template(
        None,
        "{name} mixes latin letters with others ({others}): write it in one script",
        ("name:quoted", "others:list"),
    ),
    "name_letter": Template(
        None,
        "{name} holds {letter}, which looks like another letter: write it as a passport does",
        ("name:quoted", "letter:quoted"),
    ),
    # Of people.
    "person_unknown": Template(
        Code.NO_SUCH_PERSON, "there is no person {number}", ("number",), field="person"
    ),
    "people_elsewhere": Template(
        Code.OTHER_BANK, "people are in bank {site}, not in {bank}", ("site", "bank")
    ),
    "people_exist": Template(Code.NOT_EMPTY, "the site has people already: an admin adds others"),
    "first_people_together": Template(
        Code.TWO_PEOPLE, "the first people are {count} admins together", ("count",)
    ),
    "too_many_people": Template(Code.TOO_MANY, "a site has {most} people at most", ("most",)),
    "too_many_newcomers": Template(
        Code.TOO_MANY, "{count} people have not chosen a password: end the access of some of them", ("count",)
    ),
    "role_held_already": Template(
        Code.UNCHANGED, "{person} is {role} already", ("person:person", "role:word")
    ),
    "role_not_held": Template(Code.UNCHANGED, "{person} is not {role}", ("person:person", "role:word")),
    "password_missing": Template(Code.UNCHANGED, "{person} has no password", ("person:person",)),
    "password_needed": Template(Code.NOT_ALLOWED, "{person} has no password", ("person:person",)),
    "code_needs_one_admin": Template(Code.NO_PERSON, "one admin gives a code, and is named with it"),
    "code_of_person_with_password": Template(
        Code.NOT_EMPTY, "{person} has a password: two people reset it first", ("person:person",)
    ),
    "code_needs_own_password": Template(
        Code.NOT_ALLOWED, "an admin gives a code with their own password: at /ops"
    ),
    "password_chosen_by_oneself": Template(
        Code.NO_PERSON, "a person chooses their own password, with a code or with the old one"
    ),
    "token_made_by_oneself": Template(Code.NO_PERSON, "a person makes a token for themselves"),
    "token_needs_own_password": Template(Code.NOT_ALLOWED, "a person makes a token with their own password"),
    "token_roles_not_held": Template(
        Code.NOT_ALLOWED, "{person} is not {roles}", ("person:person", "roles:words"), field="roles"
    ),
    "token_without_role": Template(Code.BAD_REQUEST, "a token has at least one", field="roles"),
    "too_many_tokens": Template(Code.TOO_MANY, "a site has {most} tokens at most", ("most",)),
    "too_many_tokens_of_one": Template(
        Code.TOO_MANY, "{person} has {count} tokens: end one of them", ("person:person", "count")
    ),
    "token_unknown": Template(Code.NO_SUCH_PERSON, "there is no token {token}", ("token",), field="token"),
    "token_of_other": Template(
        Code.NOT_ALLOWED, "token {token} is another person's: an admin ends it", ("token",)
    ),
    "site_without_people": Template(Code.NO_SUCH_PERSON, "the site has no person: make the first two"),
    "vouching_first": Template(
        Code.NOT_ALLOWED,
        "{origin}: another admin vouches for {person} first, on their page",
        ("origin:phrase", "person:person"),
        field="by",
    ),
    "last_admin": Template(Code.LAST_ADMIN, "{person} is the last admin who can sign in", ("person:person",)),
    "person_has_access": Template(
        Code.NOT_ALLOWED, "{person} still has access: end it first", ("person:person",)
    ),
    "name_erased_already": Template(
        Code.UNCHANGED, "the name of {person} is erased already", ("person:person",)
    ),
    "voucher_needs_own_password": Template(
        Code.NO_PERSON, "one admin vouches for a person, with their own password"
    ),
    "vouching_not_needed": Template(Code.UNCHANGED, "nobody needs to vouch for {person}", ("person:person",)),
    "vouching_for_oneself": Template(Code.TWO_PEOPLE, "nobody vouches for themselves"),
    "voucher_not_independent": Template(
        Code.NOT_ALLOWED, "{origin}; {fault}", ("origin:phrase", "fault:phrase"), field="by"
    ),
    "session_of_other": Template(Code.TWICE, "it belongs to somebody else", field="session"),
    "session_ended": Template(Code.NO_PERSON, "it has ended", field="session"),
    "alarm_not_open": Template(
        Code.NO_SUCH_ALARM, "{alarm} is not open, or somebody was faster", ("alarm:quoted",), field="alarm"
    ),
    "alarm_needs_admin": Template(
        Code.NOT_ALLOWED,
        "{person} is no admin, and {alarm} is about people",
        ("person:person", "alarm"),
        field="by",
    ),
    "alarm_about_oneself": Template(
        Code.NOT_ALLOWED,
        "{alarm} is about {person}: another admin acknowledges it",
        ("alarm", "person:person"),
        field="by",
    ),
    "row_seen_already": Template(Code.UNCHANGED, "row {row} of bank {bank} was seen", ("row", "bank")),
    "bank_has_people": Template(Code.OTHER_BANK, "bank {bank} has the people itself", ("bank",)),
    # Of requests.
    "request_unknown": Template(
        Code.NO_SUCH_REQUEST,
        "{request} does not wait for a second person",
        ("request:quoted",),
        field="request",
    ),
    "request_asked_already": Template(
        Code.ASKED_ALREADY, "{request} asks for the same already, and waits for a second person", ("request",)
    ),
    "too_many_requests": Template(
        Code.TOO_MANY, "{count} requests wait for a second person already", ("count",)
    ),
    "too_many_requests_of_one": Template(
        Code.TOO_MANY, "{count} requests of {person} wait already", ("count", "person:person")
    ),
    "request_needs_signers": Template(
        Code.NOT_ALLOWED, "{request} is confirmed by people who signed", ("request",), field="request"
    ),
    "request_asks_otherwise": Template(
        Code.NO_SUCH_REQUEST, "request {request} asks for something else", ("request",)
    ),
    "request_over": Template(
        Code.EXPIRED, "request {request} {why}: ask for it again", ("request", "why:phrase")
    ),
    "over_after_restart": Template(None, "ended as a server started again, or took the bank"),
    "over_after_lost_right": Template(None, "ended as the one who asked lost a role or their password"),
    "over_in_time": Template(None, "was not confirmed within 15 minutes"),
    "request_needs_another": Template(
        Code.NOT_ALLOWED,
        "request {request}: {person} asked, and another person confirms",
        ("request", "person:person"),
    ),
    "request_signer_fault": Template(
        Code.NOT_ALLOWED, "request {request}: {fault}", ("request", "fault:phrase")
    ),
    "request_not_due": Template(
        Code.NOT_ASKED, "request {request} waited {waited} ms only", ("request", "waited")
    ),
    "request_changed": Template(
        Code.CHANGED,
        "request {request}: {what}: look at it, reject it and ask again",
        ("request", "what:phrase"),
    ),
    "shown_otherwise": Template(
        Code.CHANGED, "it would do something else now than was shown: look at it again", field="seen"
    ),
    "changed_terms": Template(None, "the link's parameters have changed since it was asked for"),
    "changed_sums": Template(None, "it would move other sums now than when it was asked for"),
    "changed_left": Template(None, "another sum is left to decide on than when it was asked for"),
    "changed_limits": Template(
        None, "a meter that the money comes to has another limit than when it was asked for"
    ),
    "changed_raised": Template(None, "it would raise other awards now than when it was asked for"),
    "changed_leaving": Template(
        None, "it would leave something of other awards on the meter than when it was asked for"
    ),
    "changed_meter": Template(None, "more than wagers has moved the meter since it was asked for"),
    # Of banks, programs and devices.
    "bank_has_entries": Template(Code.NOT_EMPTY, "bank {bank} has entries already", ("bank",)),
    "site_missing": Template(Code.NO_SITE, "a ledger is one site's", field="site"),
    "bank_into_itself": Template(Code.SAME_BANK, "{bank} cannot become itself", ("bank",), field="into"),
    "bank_link_takes_wagers": Template(
        Code.NOT_SUSPENDED, "link {link} takes wagers: suspend it first", ("link",)
    ),
    "table_round_unfinished": Template(
        Code.ROUND_UNFINISHED, "table {table} has an unfinished round", ("table",)
    ),
    "table_waits_for_papers": Template(
        Code.TABLE_HELD, "table {table} waits for the papers of a hit", ("table",)
    ),
    "bank_left_waits": Template(
        Code.LEFT_WAITS, "{left}: what an undo left on a meter waits for a decision", ("left:list",)
    ),
    "bank_ledger_behind": Template(Code.LEDGER_BEHIND, "a table has answers that the ledger has lost"),
    "bank_hits_stand": Template(Code.AWARD_STANDING, "not yet paid or undone: {hits}", ("hits:list",)),
    "bank_without_parts": Template(Code.NO_SITE, "a bank begins with at least one other"),
    "link_in_two_banks": Template(Code.TWICE, "link {link} is in more than one of the banks", ("link",)),
    "table_in_two_banks": Template(Code.TWICE, "table {table} is in more than one of the banks", ("table",)),
    "bank_without_links": Template(
        Code.OTHER_BANK, "bank {bank} is that of the people: it has no links", ("bank",)
    ),
    "bank_without_devices": Template(
        Code.OTHER_BANK, "bank {bank} is that of the people: it has no devices", ("bank",)
    ),
    "program_known": Template(Code.PROGRAM_KNOWN, "the bank knows this program already", field="digest"),
    "device_blocked_already": Template(
        Code.BLOCKED_ALREADY, "{role} {device} is blocked already", ("role:word", "device")
    ),
    "device_not_blocked": Template(
        Code.NOT_BLOCKED, "the device {device} is not blocked", ("device:quoted",)
    ),
    "day_malformed": Template(Code.BAD_REQUEST, "{day} is not like 2026-11-20", ("day:quoted",), field="day"),
    "day_read_already": Template(Code.READ_ALREADY, "gaming day {day} is read already", ("day",)),
    # Of links and tables.
    "level_order_unchanged": Template(
        Code.UNCHANGED, "link {link}: the same levels are out of order as before", ("link",)
    ),
    "link_open_already": Template(Code.LINK_EXISTS, "link {link} is open already", ("link",)),
    "link_in_people_bank": Template(
        Code.OTHER_BANK, "link {link}: bank {bank} is that of the people", ("link", "bank")
    ),
    "link_of_other_bank": Template(Code.OTHER_BANK, "link {link} is of bank {bank}", ("link", "bank")),
    "link_terms_bad": Template(Code.BAD_TERMS, "link {link}: {fault}", ("link", "fault:phrase")),
    "table_terms_bad": Template(Code.BAD_TERMS, "table {table}: {fault}", ("table", "fault:phrase")),
    "believed_twice": Template(Code.TWICE, "a table is named twice", field="believe"),
    "highest_twice": Template(Code.TWICE, "{level} is named twice", ("level",), field="highest"),
    "highest_not_asked": Template(
        Code.BAD_REQUEST,
        "{level} is no mystery level of which rows may be lost",
        ("level:quoted",),
        field="highest",
    ),
    "highest_missing": Template(
        Code.BAD_REQUEST,
        "state the highest value that signs or tables showed since the last win in the ledger: {levels}",
        ("levels:list",),
        field="highest",
    ),
    "highest_too_low": Template(
        Code.BAD_AMOUNT,
        "{level}: the ledger has decided all up to {decided}, and less cannot be the highest value",
        ("level", "decided:sum"),
        field="highest",
    ),
    "highest_too_high": Template(
        Code.BAD_AMOUNT,
        "{level} must hit by {most}: a value before the win is below that",
        ("level", "most:sum"),
        field="highest",
    ),
    "link_not_suspended_for": Template(Code.NOT_SUSPENDED, "not suspended for {cause}", ("cause:quoted",)),
    "cause_ends_with_lost_acks": Template(
        Code.RESERVED, "{cause} ends where a table's lost tail is confirmed", ("cause",), field="cause"
    ),
    "cause_of_server": Template(Code.RESERVED, "{cause} is the server's", ("cause",), field="cause"),
    "link_has_ended": Template(Code.LINK_CLOSED, "link {link} has ended", ("link:quoted",)),
    "link_without_triggers": Template(
        Code.UNCHANGED, "link {link} has no trigger that is fixed before", ("link",), field="links"
    ),
    "bank_without_triggers": Template(
        Code.UNCHANGED,
        "no link of bank {bank} has a trigger that is fixed before",
        ("bank",),
        field="links",
    ),
    "triggers_not_held": Template(
        Code.SUSPENDED,
        "link {link} is suspended ({cause}): its triggers cannot be replaced now",
        ("link", "cause"),
        field="links",
    ),
    "link_not_open": Template(Code.UNKNOWN_LINK, "link {link} is not open", ("link:quoted",)),
    "table_unknown": Template(Code.NO_SUCH_TABLE, "{table} is unknown", ("table:quoted",), field="table"),
    "table_link_not_open": Template(
        Code.UNKNOWN_LINK, "table {table}: link {link} is not open", ("table", "link")
    ),
    "table_game_wrong": Template(
        Code.WRONG_GAME, "table {table}: {game} cannot play link {link} (L1)", ("table", "game", "link")
    ),
    "table_links_wrong": Template(Code.NO_LINKS, "table {table}: no link, or one twice", ("table",)),
    "table_links_too_many": Template(
        Code.TOO_MANY_LINKS, "table {table}: {most} links at most", ("table", "most")
    ),
    "table_seats_wrong": Template(
        Code.TOO_MANY_SEATS, "table {table}: {most} seats at most (L11)", ("table", "most")
    ),
    "table_terms_unchanged": Template(Code.UNCHANGED, "table {table} has these terms already", ("table",)),
    "table_keeps_no_cards": Template(
        Code.NOT_HELD, "table {table} keeps no cards that wait for papers", ("table",)
    ),
    "table_claims_nothing": Template(
        Code.NOT_BEHIND, "{table} claims nothing that the ledger lacks", ("table",), field="table"
    ),
    "table_claims_other": Template(
        Code.NOT_BEHIND, "{table} said {said}, not {acked}", ("table", "said", "acked"), field="table"
    ),
    "table_claims_too_much": Template(
        Code.NOT_BELIEVABLE,
        "{table} said {said}: no number above {most} is believed",
        ("table", "said", "most"),
        field="table",
    ),
    # What is wrong with the terms of a link or a table.
    "terms_id": Template(None, "{name}: {text} is no id", ("name", "text:quoted")),
    "terms_sum": Template(
        None,
        "{name} is {micros} micro-dollars, no sum of whole cents that can stand there (M1)",
        ("name", "micros"),
    ),
    "terms_limit_below_seed": Template(
        None, "level {level}: the limit is below seed or reseed (L7)", ("level",)
    ),
    "terms_limit_below_reseed": Template(None, "level {level}: the limit is below reseed (L7)", ("level",)),
    "terms_rates_above_wager": Template(
        None, "the rates add up to {total} of {whole}, more than the whole wager (L5)", ("total", "whole")
    ),
    "terms_rate": Template(
        None,
        "level {level}: its {account} rate is {rate} of {whole} (L5)",
        ("level", "account", "rate", "whole"),
    ),
    "terms_chips_electronic": Template(None, "an electronic wager has no chips to count (T3)"),
    "terms_chips_layout": Template(None, "a wager on the layout is not counted at the device (B6)"),
    "terms_not_of_units": Template(
        None, "{name} is {amount}, no whole multiple of {unit} (B3)", ("name", "amount:sum", "unit:sum")
    ),
    "terms_dollars_one_amount": Template(
        None, "a paytable in dollars takes exactly one amount: least and most differ (B3)"
    ),
    "terms_offer_has_none": Template(
        None, "an offer has no envy, no draws, no dealer's hand, nothing to share and no account (B1)"
    ),
    "terms_six_cards": Template(
        None, "the cards of a Six Card Bonus are six different places, a player's own among them (B16)"
    ),
    "terms_by_players": Template(
        None, "a row pays by players in a Cover All alone, and there for each number of them (B10)"
    ),
    "terms_of_offer": Template(
        None, "only a link without levels has bounds of its wager, and a place where it lies (B1)"
    ),
    "terms_mystery_form": Template(
        None, "must_hit_by is of a mystery link alone, which has a form, levels and no hands (Y1)"
    ),
    "terms_mystery_has_none": Template(
        None, "a mystery link has no rows, envy, draws, share, floor_to_seed or validate_at (Y1)"
    ),
    "terms_mystery_uncounted": Template(
        None, "the wagers of a mystery link are counted by the dealer, or electronic (Y10)"
    ),
    "terms_mystery_level": Template(
        None, "level {level}: it has must_hit_by, and neither reserve nor limit (Y1)", ("level",)
    ),
    "terms_mystery_seed": Template(None, "level {level}: seed and reseed differ (Y1)", ("level",)),
    "terms_mystery_width": Template(
        None, "level {level}: one wager lifts it from its reseed to must_hit_by (Y1)", ("level",)
    ),
    "terms_mystery_cent": Template(
        None, "level {level}: a first wager may win it at less than a cent (Y1)", ("level",)
    ),
    "terms_mystery_return": Template(
        None, "its wagers return {percent} % of themselves, more than the wager (Y1)", ("percent",)
    ),
    "terms_any_game_cards": Template(None, "a game of any name takes mystery links alone (Y7)"),
    "terms_mystery_too_many": Template(
        None,
        "{seats} seats times {count} mystery links or levels are more than {most} (Y7)",
        ("seats", "count", "most"),
    ),
    "terms_mystery_pace": Template(
        None, "link {link} is a mystery, so the table needs max_rounds_per_minute (Y10)", ("link",)
    ),
    "terms_adjacent_boxes": Template(
        None, "adjacent_boxes is {count}, at least the player's own counts (T9)", ("count",)
    ),
    "terms_max_rounds": Template(None, "max_rounds_per_minute is {count}, below 0 (L11)", ("count",)),
    "terms_notice_days": Template(None, "notice_days is {days}, 0 to {most} (P2)", ("days", "most")),
    "terms_levels": Template(
        None, "levels {levels}: one `meter`, or {known} in this order (L3)", ("levels:list", "known:list")
    ),
    "terms_hand_unknown": Template(None, "{what}: {hand} is no hand of this game", ("what", "hand:quoted")),
    "terms_hand_suits": Template(
        None, "{what}: {hand} has the suits {suits}", ("what", "hand", "suits:quoted")
    ),
    "terms_hand_rank": Template(
        None, "{what}: {hand} has the least rank {rank}", ("what", "hand", "rank:quoted")
    ),
    "terms_hands_order": Template(None, "{what}: the hands are not in their order, best first", ("what",)),
    "terms_hand_twice": Template(None, "{what}: {hand} stands more than once", ("what", "hand")),
    "terms_no_rows": Template(None, "it has no rows"),
    "terms_row_level": Template(
        None, "rows: {hand} is paid from {level}, which is no level of it", ("hand", "level:quoted")
    ),
    "terms_whole_levels": Template(None, "rows: each level needs exactly one row that wins the whole of it"),
    "terms_row_rate": Template(
        None, "rows: {hand} is paid {rate} of {whole} of a meter", ("hand", "rate", "whole")
    ),
    "terms_draw_prize": Template(
        None, "{draw}_every is {every} with a prize of {prize} for 1 (A7)", ("draw", "every", "prize")
    ),
    # Of hits, awards and their papers.
    "envy_waits_for_hand": Template(
        Code.HAND_PENDING, "an envy bonus waits until its hand is validated", field="award"
    ),
    "several_winners_paid": Template(
        Code.SEVERAL_WINNERS,
        "H{hit} is won by seats {seats}: pay each of them separately",
        ("hit", "seats:list"),
        field="seat",
    ),
    "several_winners_named": Template(
        Code.SEVERAL_WINNERS,
        "H{hit} is won by seats {seats}: patron and tax form are of one of them",
        ("hit", "seats:list"),
        field="seat",
    ),
    "document_missing": Template(Code.NO_DOCUMENT, "a payment needs a document's number", field="document"),
    "document_of_difference": Template(
        Code.NO_DOCUMENT,
        "{award} is {status}; the difference needs a document's number",
        ("award", "status:word"),
        field="document",
    ),
    "document_of_other_seat": Template(
        Code.DOCUMENT_USED,
        "form {document} is the form of seat {seat} already; each winner has a form of their own",
        ("document", "seat"),
        field="document",
    ),
    "hit_in_dispute": Template(
        Code.DISPUTED, "H{hit} is disputed, and is not paid until that is lifted", ("hit",), field="hit"
    ),
    "paper_missing": Template(
        Code.NO_PAPER, "it is wanted on the papers of every payment", ("field",), field=NAMED
    ),
    "paper_without_name": Template(Code.BAD_REQUEST, "it is there where it names somebody", field="paper"),
    "tax_form_incomplete": Template(
        Code.NO_TAX_FORM, "a tax form has a name and a number", ("field",), field=NAMED
    ),
    "tax_form_missing": Template(
        Code.NO_TAX_FORM,
        "seat {seat} is paid {least} or more, which takes a tax form",
        ("seat", "least:sum"),
        field="tax_form",
    ),
    "tax_form_missing_of_patron": Template(
        Code.NO_TAX_FORM,
        "seats {seats}, whose patron is the same, are paid {least} or more, which takes a tax form",
        ("seats:list", "least:sum"),
        field="tax_form",
    ),
    "tax_form_due": Template(
        Code.NO_TAX_FORM,
        "{sum} won with a wager of {wager} takes form {form}",
        ("form", "sum:sum", "wager:sum"),
        field="tax_number",
    ),
    "tax_form_differs": Template(Code.NO_TAX_FORM, "form {form} is due", ("form",), field="tax_form"),
    "tax_of_no_country": Template(
        Code.BAD_REQUEST,
        "the site's configuration names no country whose taxes it withholds",
        ("field",),
        field=NAMED,
    ),
    "treaty_incomplete": Template(
        Code.NO_TAX_FORM, "a treaty's rate comes with the form that claims it", ("field",), field=NAMED
    ),
    "treaty_of_resident": Template(
        Code.BAD_REQUEST, "a treaty is for somebody who is no resident", field="nonresident"
    ),
    "treaty_rate_high": Template(
        Code.BAD_REQUEST, "it is no higher than without a treaty", field="treaty_rate"
    ),
    "treaty_without_number": Template(
        Code.NO_PAPER,
        "a treaty's rate takes the taxpayer number; without it there is none",
        field="taxpayer_number",
    ),
    "way_incomplete": Template(
        Code.NO_PAPER,
        "a way of payment has the number of its slip, cheque or account",
        ("field",),
        field=NAMED,
    ),
    "part_incomplete": Template(
        Code.NO_PAPER, "a part that is given another way has that way and a sum", ("field",), field=NAMED
    ),
    "part_of_no_way": Template(Code.NO_PAPER, "the rest has a way of payment, too", field="way"),
    "part_same_way": Template(Code.BAD_REQUEST, "the rest is given in the same way", field="other_way"),
    "part_out_of_range": Template(
        Code.BAD_REQUEST, "it is more than nothing, and less than {sum}", ("sum:sum",), field="other_sum"
    ),
    "paper_of_form_missing": Template(
        Code.NO_PAPER, "it is wanted where form {form} is due", ("field", "form"), field=NAMED
    ),
    "withheld_unsaid": Template(
        Code.WITHHELD_DIFFERS,
        "where form {form} is due, say what is withheld: {sum}",
        ("form", "sum:sum"),
        field="withheld",
    ),
    "withheld_differs": Template(
        Code.WITHHELD_DIFFERS, "{sum} is to be withheld from this payment", ("sum:sum",), field="withheld"
    ),
    "undo_finds_no_award": Template(Code.NO_SUCH_AWARD, "hit {hit} has no such award", ("hit",)),
    "award_is_paid": Template(Code.PAID, "A{award} is paid: correct it instead of undoing it", ("award",)),
    "award_is_final": Template(Code.FINAL, "A{award} is final and its round has ended", ("award",)),
    "award_unknown": Template(
        Code.NO_SUCH_AWARD,
        "{award} is neither an open award nor one of the last {count} settled hits",
        ("award:quoted", "count"),
        field="award",
    ),
    "award_undone": Template(Code.UNDONE, "{award} is undone", ("award",), field="award"),
    "amount_out_of_range": Template(Code.BAD_AMOUNT, "0 to {most} cents", ("most",), field="amount"),
    "hit_not_open": Template(Code.NO_SUCH_HIT, "{hit} is not an open hit", ("hit:quoted",), field="hit"),
    "hit_unknown": Template(Code.NO_SUCH_HIT, "there is no {hit}", ("hit:quoted",), field="hit"),
    "hit_before_join": Template(
        Code.NO_SUCH_HIT,
        "{hit} is a number from before banks were joined to {bank}, and none of them had it",
        ("hit", "bank"),
        field="hit",
    ),
    "hit_renumbered": Template(
        Code.NO_SUCH_HIT,
        "{hit} is a number from before banks were joined to {bank}; that hit is now {now}",
        ("hit", "bank", "now:list"),
        field="hit",
    ),
    "award_before_join": Template(
        Code.NO_SUCH_AWARD,
        "{award} is a number from before banks were joined to {bank}, and none of them had it",
        ("award", "bank"),
        field="award",
    ),
    "award_renumbered": Template(
        Code.NO_SUCH_AWARD,
        "{award} is a number from before banks were joined to {bank}; that award is now {now}",
        ("award", "bank", "now:list"),
        field="award",
    ),
    "hit_has_no_award": Template(Code.NO_SUCH_AWARD, "H{hit} has no award", ("hit",), field="seat"),
    "hit_has_no_award_of_seat": Template(
        Code.NO_SUCH_AWARD, "H{hit} has no award for seat {seat}", ("hit", "seat"), field="seat"
    ),
    "hit_pays_nobody": Template(
        Code.NO_SUCH_AWARD, "H{hit} has no award that stands: nobody is paid", ("hit",), field="hit"
    ),
    "award_not_of_hit": Template(
        Code.NO_SUCH_AWARD, "H{hit} has no award {award}", ("hit", "award:quoted"), field="award"
    ),
    "award_not_of_seat": Template(
        Code.NO_SUCH_AWARD,
        "H{hit} has no award {award} for seat {seat}",
        ("hit", "award:quoted", "seat"),
        field="award",
    ),
    "hit_has_nothing_pending": Template(
        Code.NOT_PENDING, "H{hit} has no pending award", ("hit",), field="hit"
    ),
    "seat_has_nothing_pending": Template(
        Code.NOT_PENDING, "H{hit} has no pending award for seat {seat}", ("hit", "seat"), field="hit"
    ),
    "hit_has_nothing_validated": Template(
        Code.NOT_VALIDATED, "H{hit} has no validated award", ("hit",), field="hit"
    ),
    "seat_has_nothing_validated": Template(
        Code.NOT_VALIDATED, "H{hit} has no validated award for seat {seat}", ("hit", "seat"), field="hit"
    ),
    "award_not_pending": Template(
        Code.NOT_PENDING, "{award} is {status}, not pending", ("award", "status:word"), field="award"
    ),
    "award_not_validated": Template(
        Code.NOT_VALIDATED, "{award} is {status}, not validated", ("award", "status:word"), field="award"
    ),
    "hit_not_waiting": Template(Code.NOT_PENDING, "nothing of {hit} waits to be paid", ("hit",), field="hit"),
    "hit_disputed_already": Template(Code.DISPUTED, "{hit} is disputed already", ("hit",), field="hit"),
    "hit_not_disputed": Template(Code.NOT_DISPUTED, "{hit} is not disputed", ("hit:quoted",), field="hit"),
    "hit_disputed_by_other_entry": Template(
        Code.NOT_DISPUTED,
        "{hit} was disputed by entry {entry}, not by this one",
        ("hit", "entry"),
        field="dispute",
    ),
    "papers_before_validation": Template(
        Code.NOT_VALIDATED,
        "{hit} is not validated yet: its papers are written when it is",
        ("hit",),
        field="hit",
    ),
    "papers_empty": Template(
        Code.BAD_REQUEST, "nothing is written; fill in one field at least", field="dealer"
    ),
    "papers_of_unpaid_hit": Template(Code.NOT_VALIDATED, "{hit} is not paid yet", ("hit",), field="hit"),
    # Of meters.
    "correction_of_nothing": Template(
        Code.BAD_AMOUNT, "a correction of nothing changes nothing", field="amount"
    ),
    "closed_link_takes_nothing": Template(
        Code.LINK_CLOSED, "{link} has ended and takes nothing more", ("link",), field="link"
    ),
    "meter_below_zero": Template(
        Code.BAD_AMOUNT,
        "the {account} holds {held}, and nothing ends below zero",
        ("account:word", "held:sum"),
        field="amount",
    ),
    "meter_above_limit": Template(
        Code.BAD_AMOUNT,
        "the {account} holds {held}, and nothing ends above its limit",
        ("account:word", "held:sum"),
        field="amount",
    ),
    "meter_above_max": Template(
        Code.BAD_AMOUNT,
        "the {account} holds {held}, and the most is {most}",
        ("account:word", "held:sum", "most:sum"),
        field="amount",
    ),
    "left_unknown": Template(
        Code.NO_SUCH_LEFT, "{left} does not wait for a decision", ("left:quoted",), field="left"
    ),
    "left_taken_since": Template(
        Code.BAD_AMOUNT, "a later award or a transfer took it: it can only stay", field="left"
    ),
    "left_above_meter": Template(
        Code.BAD_AMOUNT, "the meter holds {held}, less than what was left", ("held:sum",), field="left"
    ),
    "transfer_without_meter": Template(
        Code.BAD_AMOUNT,
        "{link} has no meter, and nothing to transfer: suspend or close it",
        ("link",),
        field="link",
    ),
    "money_needs_link": Template(
        Code.MONEY_LEFT, "{left} on its meters must go to another link", ("left:sum",), field="to"
    ),
    "link_not_open_in_bank": Template(
        Code.UNKNOWN_LINK, "{link} is not open in bank {bank}", ("field", "link:quoted", "bank"), field=NAMED
    ),
    "link_takes_wagers": Template(
        Code.NOT_SUSPENDED, "{link} takes wagers: suspend it first", ("link",), field="link"
    ),
    "link_round_unfinished": Template(
        Code.ROUND_UNFINISHED,
        "table {table} has a round with wagers on {link} to finish",
        ("table", "link"),
        field="link",
    ),
    "link_hits_stand": Template(
        Code.AWARD_STANDING, "{hits} of {link}: not yet paid or undone", ("hits:list", "link"), field="link"
    ),
    "link_closed": Template(Code.LINK_CLOSED, "{link} has ended", ("field", "link"), field=NAMED),
    "link_left_waits": Template(
        Code.LEFT_WAITS,
        "{left} of {link}: what an undo left there waits for a decision",
        ("left:list", "link"),
        field="link",
    ),
    "money_to_same_link": Template(Code.TWICE, "a link's money goes to another link", field="to"),
    "money_leaves_bank": Template(
        Code.UNKNOWN_LINK,
        "{link} is not open in bank {bank}, and money stays in its bank",
        ("link:quoted", "bank"),
        field="to",
    ),
    "level_unknown": Template(
        Code.UNKNOWN_LINK,
        "{link} has no {level}, only {levels}",
        ("link", "level:quoted", "levels:list"),
        field="level",
    ),
    "level_not_of_link": Template(
        Code.BAD_REQUEST, "{link} has no level {level}", ("link", "level"), field="levels"
    ),
    "level_needs_place": Template(
        Code.BAD_REQUEST,
        "{link} has no level {level}, only {levels}: say to which it goes",
        ("link", "level", "levels:list"),
        field="levels",
    ),
    "mystery_would_hit": Template(
        Code.BAD_AMOUNT,
        "level {level} of {link} would reach {most}, by which it must hit: only a wager wins it (Y11)",
        ("link", "level", "most:sum"),
        field="amount",
    ),
    "mystery_without_reserve": Template(
        Code.BAD_AMOUNT, "link {link} is a mystery, which has no reserve (Y1)", ("link",), field="account"
    ),
    "mystery_starts_too_high": Template(
        Code.BAD_TERMS,
        "level {level}: what the last wager of this cycle leaves would lift the next to must_hit_by (Y1)",
        ("level",),
    ),
    "game_without_cards": Template(
        Code.BAD_MESSAGE, "a game of any name sends no hands and no cards (Y7)", ("field",), field=NAMED
    ),
    "link_terms_unchanged": Template(
        Code.UNCHANGED, "{link} has these terms already", ("link",), field="link"
    ),
    "link_terms_fixed": Template(
        Code.FIXED,
        "{fields} of link {link} never changes: close it, and transfer to a new link",
        ("fields:list", "link"),
    ),
    "limit_below_meter": Template(
        Code.BAD_TERMS,
        "level {level}: the limit is below {held}, which stands on it (L7)",
        ("level", "held:sum"),
    ),
    # Of lamps (P3).
    "lamp_not_seen": Template(
        Code.LAMP_FAILED,
        "the table says that the lamp of A{award} failed: say what it shows",
        ("award",),
        field="lamp",
    ),
    # Of credits to game accounts (P4).
    "credit_unknown": Template(
        Code.NO_SUCH_AWARD, "{award} waits for no credit", ("award:quoted",), field="award"
    ),
    "credit_done": Template(Code.CREDITED, "{award} is credited already", ("award",), field="award"),
    "credit_of_no_account": Template(
        Code.NO_SUCH_AWARD,
        "{award} is paid by the {pays}, to no account",
        ("award", "pays:word"),
        field="award",
    ),
    "credit_too_early": Template(
        Code.NO_SUCH_AWARD,
        "{award} is {status}: it is paid before it is credited",
        ("award", "status:word"),
        field="award",
    ),
    "award_is_credited": Template(
        Code.CREDITED, "A{award} is credited to the account: correct it", ("award",), field="award"
    ),
    # Of notices (P2).
    "notice_of_nothing": Template(
        Code.BAD_REQUEST,
        "say which link is withdrawn, or what the table's payout limit becomes",
        field="link",
    ),
    "notice_link_not_of_table": Template(
        Code.UNKNOWN_LINK, "table {table} does not have link {link}", ("link", "table"), field="table"
    ),
    "notice_limit_of_all_tables": Template(
        Code.BAD_REQUEST, "a link has one limit for all of its tables", field="table"
    ),
    "notice_of_level_without_limit": Template(
        Code.BAD_REQUEST, "a level is named only with its new limit", field="level"
    ),
    "notice_without_level": Template(Code.BAD_REQUEST, "no level has this limit", field="level"),
    "notice_not_lower": Template(
        Code.BAD_AMOUNT,
        "the limit is {now} now, and only a lower one is announced",
        ("now:sum",),
        field="amount",
    ),
    "notice_of_two_figures": Template(
        Code.BAD_REQUEST, "a notice is about one figure: announce each by itself", ("field",), field=NAMED
    ),
    "notice_of_mystery_figure": Template(
        Code.BAD_REQUEST, "only of a mystery level is that announced", ("field",), field=NAMED
    ),
    "notice_of_figure_as_now": Template(
        Code.BAD_AMOUNT, "that is what the level has now", ("field",), field=NAMED
    ),
    "notice_day_past": Template(Code.BAD_REQUEST, "{day} has begun already", ("day",), field="day"),
    "notice_too_late": Template(
        Code.BAD_REQUEST,
        "{day} begins in less than {days} days, which is how long before it must be announced (P2)",
        ("day", "days"),
        field="day",
    ),
    "end_day_past": Template(Code.BAD_REQUEST, "{day} is over already", ("day",), field="day"),
    "end_too_late": Template(
        Code.BAD_REQUEST,
        "{day} ends in less than {days} days, which is how long before it must be announced (P2)",
        ("day", "days"),
        field="day",
    ),
    "end_needs_link": Template(
        Code.MONEY_LEFT, "say to which link the money of {link} goes when it ends", ("link",), field="to"
    ),
    "end_to_closing_link": Template(
        Code.LINK_CLOSED,
        "{link} closes itself by then: notice {notice} says {day}",
        ("link", "notice", "day"),
        field="to",
    ),
    "end_of_receiving_link": Template(
        Code.NOTICE_STANDS,
        "notice {notice} says that {other} ends with {day}, and that its money goes to {link}: withdraw that "
        "first, or announce a later day",
        ("link", "other", "notice", "day"),
        field="day",
    ),
    "end_not_announced": Template(
        Code.NO_SUCH_NOTICE, "no notice says that {link} ends", ("link",), field="link"
    ),
    "end_not_due": Template(
        Code.NOTICE_NEEDED, "{link} is played until {day} is over", ("link", "day"), field="link"
    ),
    "end_has_come": Template(
        Code.LINK_CLOSED,
        "{link} ended with {day}, and nothing takes that back: it closes",
        ("link", "day"),
        field="notice",
    ),
    "end_while_clock_jumped": Template(
        Code.END_WAITS,
        "the server's clock jumped ahead by {minutes} minutes, and by it {link} has ended: put it right; or, "
        "if it is right now, start the server again",
        ("link", "minutes"),
        field="link",
    ),
    "end_while_suspended": Template(
        Code.END_WAITS,
        "{link} is suspended ({reasons}) and cannot close by itself",
        ("link", "reasons:list"),
        field="link",
    ),
    "end_while_behind": Template(
        Code.END_WAITS,
        "the ledger may have lost answers about {link}: two people answer {tables} first",
        ("link", "tables:list"),
        field="link",
    ),
    "end_while_reopening_asked": Template(
        Code.END_WAITS,
        "somebody asked to reopen the last round of table {table}, which had wagers on {link}: another "
        "person agrees, or declines",
        ("table", "link"),
        field="link",
    ),
    "end_before_reading": Template(
        Code.END_WAITS, "the meters are to be read first, as they stood when {day} was over", ("day",)
    ),
    "notice_stands": Template(
        Code.NOTICE_STANDS, "notice {notice} says it for {day}: withdraw that first", ("notice", "day")
    ),
    "notice_unknown": Template(
        Code.NO_SUCH_NOTICE, "{notice} does not stand", ("notice:quoted",), field="notice"
    ),
    "notice_needed_closes": Template(
        Code.NOTICE_NEEDED,
        "{name} is withdrawn {days} days after that was announced, or later: announce it first (P2)",
        ("name", "days"),
    ),
    "notice_needed_lowers": Template(
        Code.NOTICE_NEEDED,
        "a limit of {name} is lowered {days} days after that was announced, or later: announce it first (P2)",
        ("name", "days"),
    ),
    "notice_needed_changes": Template(
        Code.NOTICE_NEEDED,
        "a mystery of {name} has another seed, rate or highest sum {days} days after that was announced, or "
        "later: announce it first (P2)",
        ("name", "days"),
    ),
    "notice_not_due": Template(
        Code.NOTICE_NEEDED,
        "{name}: notice {notice} says {day}: wait for that day, or withdraw the notice (P2)",
        ("name", "notice", "day"),
    ),
    "notice_of_higher_limit": Template(
        Code.NOTICE_NEEDED,
        "notice {notice} announced {amount}, and no lower limit (P2)",
        ("notice", "amount:sum"),
    ),
    "notice_of_other_figure": Template(
        Code.NOTICE_NEEDED, "notice {notice} announced another figure (P2)", ("notice",)
    ),
    # Of rounds, by people.
    "dealer_hand_was_shown": Template(Code.DEALER_SHOWN, "the dealer's hand was shown", field="on"),
    "link_count_agrees": Template(
        Code.NOT_MISMATCH, "{link} has no count that differs", ("link:quoted",), field="link"
    ),
    "round_unknown": Template(
        Code.NO_SUCH_ROUND,
        "{round} is not an unfinished round of {table}",
        ("round:quoted", "table"),
        field="round",
    ),
    "round_not_last_closed": Template(
        Code.NO_SUCH_ROUND,
        "only the table's last closed round is reopened, before its next lock",
        field="round",
    ),
    "reopening_not_asked": Template(
        Code.NOT_ASKED, "nobody asked to reopen {round}", ("round:quoted",), field="round"
    ),
    "reopening_asked_already": Template(
        Code.NOT_ALLOWED,
        "{who} asked to reopen it already; another person answers",
        ("who:person",),
        field="round",
    ),
    "reopening_needs_another": Template(
        Code.TWO_PEOPLE,
        "{who} asked to reopen it already; another person answers",
        ("who:person",),
        field="round",
    ),
    "reopening_needs_other": Template(
        Code.NOT_ALLOWED,
        "{who} asked to reopen it already; another person answers ({fault})",
        ("who:person", "fault:phrase"),
        field="round",
    ),
    "reopening_asked_meanwhile": Template(
        Code.STALE, "{who} asked to reopen it meanwhile", ("who:person",), field="round"
    ),
    "reopening_answered_meanwhile": Template(
        Code.STALE, "somebody has answered for {round} meanwhile", ("round:quoted",), field="round"
    ),
    "reopening_asker_lost_right": Template(
        Code.EXPIRED,
        "{person} asked to reopen it, and lost a role or their password since: decline it, and ask again",
        ("person:person",),
        field="round",
    ),
    # Of alarms: the details of one; its kind says the rest.
    "alarm_counts": Template(None, "round {round}: {counts}", ("round", "counts:phrases")),
    "alarm_link_count": Template(
        None, "{link} {theirs} at the table, {ours} here", ("link", "theirs", "ours")
    ),
    "alarm_link_uncounted": Template(None, "{link} none at the table, {ours} here", ("link", "ours")),
    "alarm_link_sum": Template(
        None, "{link} {theirs} at the table, {ours} here", ("link", "theirs:sum", "ours:sum")
    ),
    "alarm_link_unsummed": Template(None, "{link} no sum at the table, {ours} here", ("link", "ours:sum")),
    "alarm_left": Template(None, "{awards}", ("awards:phrases",)),
    "alarm_more_left": Template(None, "{awards}, and {more} more", ("awards:phrases", "more")),
    "alarm_award_left": Template(None, "{award} {sum}", ("award", "sum:sum")),
    "alarm_answers_lost": Template(None, "it has answers up to {acked}", ("acked",)),
    "alarm_answers_lost_and_bank_stopped": Template(
        None, "it has answers up to {acked}; the bank was suspended", ("acked",)
    ),
    "alarm_cash": Template(None, "{hit}: {sum} in cash to one patron in one gaming day", ("hit", "sum:sum")),
    "alarm_levels": Template(None, "{levels}", ("levels:phrases",)),
    "alarm_level_above": Template(
        None, "{lower} {less} is above {higher} {more}", ("lower", "less:sum", "higher", "more:sum")
    ),
    "alarm_failures": Template(None, "{count} failures", ("count",)),
    "alarm_number_used": Template(None, "number {number}", ("number",)),
    "alarm_lamp": Template(None, "{award}, seat {seat}", ("award", "seat")),
    "alarm_recovered_by": Template(None, "by {people}", ("people:list",)),
}
