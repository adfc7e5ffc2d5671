"""The API over real HTTP and a real table: state, feed, history, orders, evidence, refusals."""

from __future__ import annotations

import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from rules.board import Side
from rules.words import languages
from service.journal.entry import Role
from service.web.guard import LARGEST_BODY
from service.web.policy import Visitor
from tests.service.web.hand import after
from tests.service.web.serve import Served

T = "/api/v1/tables/t1"


def start(served: Served, **match: Any) -> None:
    served.table.order("set_match", **{"white": "Mahsa", "black": "Jan", "length": 5, **match})
    served.table.order("start_game")
    served.table.order("declare_roll", white=[3], black=[1])


def get(served: Served, path: str, visitor: Visitor | None = None, **more: Any) -> httpx.Response:
    headers = more.pop("headers", {})
    if visitor is not None:
        headers["authorization"] = "Bearer " + served.app.state.access.open_session(visitor)
    return httpx.get(served.url + path, headers=headers, **more)


def outsider(served: Served) -> dict[str, str]:
    """What makes a loopback request look like one that came through a proxy: no console."""
    return {"via": "1.1 proxy"}


ARBITER = Visitor("sara", Role.ARBITER)


def test_the_feed_says_the_newest_state_now_and_after_each_change(served: Served) -> None:
    start(served)
    with connect(served.url.replace("http", "ws") + T + "/live") as socket:
        first = json.loads(socket.recv(5))
        assert (first["view"], first["phase"], first["table"]) == ("staff", "moving", "t1")
        served.table.turn()
        while (shown := json.loads(socket.recv(5)))["phase"] != "to-roll":
            pass
        assert shown["plays"][-1]["side"] == "white"
        assert shown["seq"] > first["seq"]


def test_server_sent_events_say_the_same(served: Served) -> None:
    with httpx.stream("GET", served.url + T + "/events", timeout=5) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        data = next(line for line in lines if line.startswith("data: "))
        assert json.loads(data[6:])["schema"] == "takhte-state/1"


def test_history_is_one_object_a_line_and_continues_where_one_left_off(served: Served) -> None:
    start(served)
    served.table.turn()
    lines = [json.loads(line) for line in get(served, T + "/entries").text.splitlines()]
    assert [e["seq"] for e in lines] == list(range(1, served.table.state.seq + 1))
    assert all(len(e["hash"]) == 64 for e in lines)
    rest = [
        json.loads(line) for line in get(served, T + "/entries?since=3&limit=2").text.splitlines()
    ]
    assert [e["seq"] for e in rest] == [4, 5]
    public = [
        json.loads(line)
        for line in get(served, T + "/entries", headers=outsider(served)).text.splitlines()
    ]
    assert "played" in {e["kind"] for e in public}
    assert not [e for e in public if "hash" in e or "by" in e or "evidence" in e["body"]]


def test_an_order_is_acknowledged_after_the_commit(served: Served) -> None:
    start(served)
    answer = httpx.post(
        served.url + T + "/orders", json={"order": "adjourn", "args": {"reason": "lunch"}}
    )
    assert answer.status_code == 200
    seq = answer.json()["seq"]
    found = get(served, f"{T}/entries/{seq}").json()["result"]
    assert (found["kind"], found["body"]["reason"], found["by"]["role"]) == (
        "adjourned",
        "lunch",
        "console",
    )


def test_a_refusal_of_the_table_says_what_was_expected(served: Served) -> None:
    answer = httpx.post(served.url + T + "/orders", json={"order": "take", "args": {}})
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "not_now"


def test_a_player_speaks_for_his_own_side(served: Served) -> None:
    start(served, event={"privacy": {"phones": "allowed"}})
    token = served.app.state.access.open_session(
        Visitor("Jan", Role.PLAYER, "black", frozenset({"t1"}))
    )
    headers = {"authorization": f"Bearer {token}"}
    post = lambda args: httpx.post(  # noqa: E731
        served.url + T + "/orders", json={"order": "resign", "args": args}, headers=headers
    )
    assert post({"side": "white", "level": 1}).status_code == 403
    assert post({"level": 1}).status_code == 200
    assert served.table.state.turn.resigning == (Side.BLACK, 1)


def test_the_table_may_go_away_and_come_back(served: Served) -> None:
    start(served)
    served.table.hub.close()
    answer = httpx.post(served.url + T + "/orders", json={"order": "adjourn", "args": {}})
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "table_down"
    assert get(served, T + "/state").json()["phase"] == "moving"
    assert get(served, "/-/ready").status_code == 503
    assert get(served, "/-/healthy").status_code == 200


def test_illegal_stands_by_order_and_the_record_says_so(served: Served) -> None:
    """The correction "stands although illegal" really takes effect."""
    start(served)
    table = served.table
    placement = table.state.game.placement
    assert placement is not None
    wrong = after(placement, Side.WHITE, (13, 8))
    args = {
        "placement": {"white": list(wrong.white), "black": list(wrong.black)},
        "reason": "both agreed",
    }
    answer = httpx.post(served.url + T + "/orders", json={"order": "let_stand", "args": args})
    assert answer.status_code == 200, answer.text
    assert table.state.game.placement == wrong
    assert table.state.match.plays[-1].infraction
    shown = get(served, T + "/state").json()
    assert shown["plays"][-1]["standing"] == "ruled"


def test_an_illegal_play_is_hidden_from_who_may_not_be_told(served: Served) -> None:
    start(served, event={"play": {"monitor": "arbiter"}})
    table = served.table
    placement = table.state.game.placement
    assert placement is not None
    table.press()
    table.stands(after(placement, Side.WHITE, (13, 5)))
    assert table.state.phase.value == "illegal"
    player = Visitor("tablet", Role.PLAYER, None, frozenset({"t1"}))
    for visitor in (None, player):
        shown = get(served, T + "/state", visitor, headers=outsider(served))
        assert shown.json()["phase"] == "pressed"
        assert not shown.json()["alerts"]
    assert get(served, T + "/state", ARBITER).json()["illegal"]["code"]


def test_one_alert_once_acknowledged_by_name(served: Served) -> None:
    start(served)
    served.table.order("call_director", reason="a dispute")
    alerts = get(served, T + "/state", ARBITER).json()["alerts"]
    assert len(alerts) == 1
    token = served.app.state.access.open_session(ARBITER)
    body = {"order": "acknowledge", "args": {"alert": alerts[0]["id"]}}
    assert (
        httpx.post(
            served.url + T + "/orders", json=body, headers={"authorization": f"Bearer {token}"}
        ).status_code
        == 200
    )
    assert not [
        a for a in get(served, T + "/state", ARBITER).json()["alerts"] if not a["acknowledged_by"]
    ]
    last = json.loads(get(served, T + "/entries", ARBITER).text.splitlines()[-1])
    assert (last["kind"], last["by"]["name"], last["by"]["role"]) == (
        "alert_acknowledged",
        "sara",
        "arbiter",
    )


def test_legal_plays_now_and_where_an_earlier_play_was_made(served: Served) -> None:
    start(served)
    now = get(served, T + "/legal-plays").json()["result"]
    assert now["roll"] == [3, 1] and len(now["plays"]) == 16
    served.table.turn()
    seq = served.table.state.match.plays[-1].seq
    served.table.turn()
    then = get(served, f"{T}/legal-plays?entry={seq}").json()["result"]
    assert then == now
    other = get(served, f"{T}/legal-plays?entry={seq}&high=6&low=5").json()["result"]
    assert other["roll"] == [6, 5] and {p["text"] for p in other["plays"]} > {"24/13"}
    assert get(served, f"{T}/legal-plays?entry=9999").status_code == 404


def test_pictures_are_for_staff(served: Served) -> None:
    start(served)
    served.table.turn()
    ids = [
        p
        for e in get(served, T + "/entries").text.splitlines()
        for p in json.loads(e)["body"].get("pictures", [])
    ]
    assert ids
    assert get(served, f"{T}/pictures/{ids[0]}", ARBITER).headers["content-type"] == "image/jpeg"
    assert get(served, f"{T}/pictures/{ids[0]}", headers=outsider(served)).status_code == 401
    assert get(served, f"{T}/pictures/{ids[0]}", Visitor("p", Role.PLAYER)).status_code == 403
    for path in ("..%2f..%2fetc%2fpasswd", "p1/../../x", "P1", "x" * 200):
        assert get(served, f"{T}/pictures/{path}").status_code == 404


def test_everything_is_exported_in_one_file(served: Served) -> None:
    start(served)
    served.table.turn()
    archive = zipfile.ZipFile(io.BytesIO(get(served, T + "/export.zip").content))
    names = set(archive.namelist())
    assert {
        "journal.ndjson",
        "state.json",
        "README.txt",
        "score-sheets.json",
        "match-1.mat",
        "match-1.sgf",
        "t1.takhte",
    } <= names
    assert any(name.startswith("pictures/") for name in names)
    assert len(archive.read("journal.ndjson").splitlines()) == served.table.state.seq


def test_an_event_file_sets_conduct_and_the_page_wins_over_it(served: Served) -> None:
    text = '[play]\nmonitor = "silent"\n[clock]\npreset = "iran"\n'
    body = {
        "order": "set_match",
        "args": {
            "length": 3,
            "clock": "ours",
            "event_text": text,
            "event": {"clock": {"preset": "us-delay"}},
        },
    }
    assert httpx.post(served.url + T + "/orders", json=body).status_code == 200
    assert served.table.state.match.event.monitor.value == "silent"
    assert served.table.state.match.event.clock == "us-delay"
    bad = {"order": "set_match", "args": {"event_text": "play = ["}}
    assert httpx.post(served.url + T + "/orders", json=bad).json()["error"]["code"] == "event_file"


# What no page of ours asks for.

REFUSED: list[tuple[str, dict[str, Any], int]] = [
    ("another name (rebinding)", {"headers": {"host": "evil.example"}}, 421),
    ("another site's page", {"headers": {"origin": "http://evil.example"}}, 403),
    ("another port's page", {"headers": {"origin": "http://127.0.0.1:1"}}, 403),
    ("cross-site by the browser's word", {"headers": {"sec-fetch-site": "cross-site"}}, 403),
    ("too large", {"content": b"x" * (LARGEST_BODY + 1)}, 413),
    ("not JSON", {"content": b"{", "headers": {"content-type": "application/json"}}, 422),
    (
        "JSON as text",
        {"content": b'{"order":"adjourn"}', "headers": {"content-type": "text/plain"}},
        422,
    ),
]


@pytest.mark.parametrize(("name", "request_", "status"), REFUSED, ids=[r[0] for r in REFUSED])
def test_refused_before_any_route(
    shared: Served, name: str, request_: dict[str, Any], status: int
) -> None:
    body = {} if "content" in request_ else {"json": {"order": "adjourn", "args": {}}}
    answer = httpx.post(shared.url + T + "/orders", **body, **request_)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["code"]


@pytest.mark.parametrize("mode", ["no-cors", "cors", "same-origin"])
def test_another_sites_page_reads_nothing_with_this_browsers_rights(
    shared: Served, mode: str
) -> None:
    """As an `<img>` or a fetch in any page that is open on this machine."""
    foreign = {"sec-fetch-site": "cross-site", "sec-fetch-mode": mode, "origin": "http://evil"}
    for path in ("/export.zip", "/hardware/leds", "/state"):
        assert httpx.get(shared.url + T + path, headers=foreign).status_code in (403, 405), path
    guest = {**foreign, **outsider(shared)}
    assert httpx.get(shared.url + T + "/state", headers=guest).status_code == 200
    lamps = httpx.get(shared.url + T + "/hardware/leds")
    assert lamps.status_code in (404, 405), "a GET acts on nothing"
    sent = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert httpx.get(shared.url + "/", headers=sent).status_code == 200


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Host": "evil.example"}])
def test_a_socket_from_elsewhere_is_refused(shared: Served, headers: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus):
        connect(shared.url.replace("http", "ws") + T + "/live", additional_headers=headers).close()


def test_the_console_is_whoever_asks_at_its_own_port(shared: Served) -> None:
    assert httpx.get(shared.url + "/api/v1/me").json()["role"] == "console"


@pytest.mark.parametrize(
    "headers",
    [
        {"x-forwarded-for": "10.0.0.9"},
        {"x-forwarded-proto": "https"},
        {"x-forwarded-host": "club.example"},
        {"forwarded": "for=10.0.0.9"},
        {"via": "1.1 proxy"},
        {"x-real-ip": "10.0.0.9"},
        {"cf-connecting-ip": "10.0.0.9"},
        {"true-client-ip": "127.0.0.1"},
        {"host": "board.local"},
    ],
)
def test_what_came_through_a_proxy_is_not_the_console(
    shared: Served, headers: dict[str, str]
) -> None:
    assert httpx.get(shared.url + "/api/v1/me", headers=headers).json()["role"] == "guest"


@pytest.mark.parametrize(
    "path", ["/", "/wall", "/sign-in", "/docs", "/static/js/board.js", "/nowhere", "/api/v1/tables"]
)
def test_every_answer_carries_the_policy_headers(shared: Served, path: str) -> None:
    answer = httpx.get(shared.url + path)
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "server" not in answer.headers or "uvicorn" in answer.headers["server"]


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/wall", "/setup", "/arbiter", "/first-use", "/sheet/t1", "/sign-in", "/pair"),
        *("/docs", "/matches/t1"),
    ],
)
@pytest.mark.parametrize("lang", languages())
def test_pages_have_no_inline_script_or_style(shared: Served, path: str, lang: str) -> None:
    text = httpx.get(f"{shared.url}{path}?lang={lang}").text
    assert f'lang="{lang}" dir="{languages()[lang].direction}"' in text
    assert " style=" not in text and "<style" not in text and " on" + "click" not in text
    assert all(
        "src=" in part.split(">")[0] or "application/json" in part.split(">")[0]
        for part in text.split("<script")[1:]
    )
    assert path == "/docs" or ("http://" not in text and "https://" not in text)


def test_names_are_never_markup(served: Served) -> None:
    start(
        served,
        white="<img src=x onerror=alert(1)>",
        event={"name": "</script><script>alert(1)</script>"},
    )
    assert "<img src=x" not in httpx.get(served.url + "/arbiter").text
    assert "</script><script>alert" not in httpx.get(served.url + "/").text


def test_signing_in_pairing_and_signing_out(served: Served) -> None:
    secret = served.app.state.access.first_start()
    with httpx.Client(base_url=served.url, headers=outsider(served)) as client:
        assert (
            client.post(
                "/api/v1/sign-in", json={"name": "director", "password": "wrong one"}
            ).status_code
            == 401
        )
        me = client.post("/api/v1/sign-in", json={"name": "director", "password": secret})
        assert me.json()["role"] == "director"
        assert (
            "httponly" in me.headers["set-cookie"].lower()
            and "samesite=strict" in me.headers["set-cookie"].lower()
        )
        made = client.post(
            "/api/v1/pairings",
            json={"role": "player", "side": "white", "table": "t1", "name": "Mahsa's phone"},
        ).json()
        assert made["svg"].startswith("<svg") and made["code"] in made["address"]
        client.post("/api/v1/sign-out", json={})
        assert client.get("/api/v1/me").json()["role"] == "guest"
        me = client.post("/api/v1/pair", json={"code": made["code"]}).json()
        assert (me["role"], me["side"], me["tables"]) == ("player", "white", ["t1"])


def test_metrics_are_live_and_for_staff(served: Served) -> None:
    httpx.post(served.url + T + "/orders", json={"order": "take", "args": {}})
    text = get(served, "/metrics").text
    assert 'takhte_table_up{table="t1"} 1.0' in text
    assert 'takhte_orders_total{order="take",outcome="refused"} 1.0' in text
    assert get(served, "/metrics", headers=outsider(served)).status_code == 401


def test_a_device_s_orders_wait_for_one_another_and_a_flood_is_sent_away(served: Served) -> None:
    """A player's phone that gives a hundred orders at once leaves the table's lines to others."""
    start(served, event={"privacy": {"phones": "allowed"}})
    player = Visitor("white", Role.PLAYER, "white", frozenset({"t1"}))
    token = served.app.state.access.open_session(player)
    headers = {"authorization": f"Bearer {token}", **outsider(served)}

    def call(_: int) -> int:
        call = {"order": "call_director", "args": {}}
        return httpx.post(
            served.url + T + "/orders", json=call, headers=headers, timeout=60
        ).status_code

    with ThreadPoolExecutor(60) as pool:
        codes = list(pool.map(call, range(120)))
    # On a busy machine the table itself may say that it is (503).
    assert codes.count(429) > 10 and codes.count(200) >= 3 and set(codes) <= {200, 429, 503}
    calls = [a for a in served.table.state.alerts if a.matter == "director_called"]
    assert len(calls) == 1


def test_the_overlay_alone_may_be_framed_and_speaks_with_its_own_host(served: Served) -> None:
    for path, framed in (("/overlay", "*"), ("/", "'none'"), ("/arbiter", "'none'")):
        answer = get(served, path)
        policy = answer.headers["content-security-policy"]
        assert f"frame-ancestors {framed}" in policy, path
        own = served.url.removeprefix("http://")
        assert f"connect-src 'self' ws://{own} wss://{own};" in policy
        assert (answer.headers["cross-origin-resource-policy"] == "cross-origin") is (framed == "*")
