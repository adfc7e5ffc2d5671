# Two commands matter: `make run` and `make test`. Each sets itself up; nothing else is needed but Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The set-up shows its progress through a pipe, and still fails where pip does.
SHELL := /bin/bash

# Some hundred processes are started by the tests alone: where no bytecode is kept, each compiles the whole house anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run install test hall bench-hall test-chaos test-tournaments bench bench-board bench-presses bench-faults test-board test-chips lint lint-python lint-pages format clean system-run system-test test-crash test-power test-phone test-train soak soak-all bench-viewers bench-encodings bench-raspberry bench-hostile bench-page test-still screens readme-film walk fuzz-api lock sbom audit bench-films bench-live-films test-younger test-air director-day films bench-engines round-trip fuzz-files test-hall-day pcb

run: $(VENV)/run.stamp
	$(BIN)/takhte run $(ARGS)

# Puts `takhte` on the path of this user: a link to the one that `make run` uses.
install: $(VENV)/run.stamp
	@mkdir -p $(HOME)/.local/bin
	@ln -sf $(abspath $(BIN)/takhte) $(HOME)/.local/bin/takhte
	@case ":$$PATH:" in *":$(HOME)/.local/bin:"*) echo "takhte is on your path now." ;; *) echo "takhte is in ~/.local/bin, which is not on your path: add it, or open a new terminal." ;; esac

test: $(VENV)/test.stamp lint
	$(BIN)/python -m pytest $(ARGS)

# nats-server, 8 simulated tables and the hall; open http://127.0.0.1:8017, where a tournament plays itself.
hall: $(VENV)/run.stamp
	$(BIN)/python -m service.hall.tournament $(ARGS)

# Twenty minutes: 8 full tables, 192 publishers, 50 arbiters, 500 viewers, beside bare nats-py (ARGS=seconds=120 for a taste).
bench-hall: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench hall seconds=1200 $(ARGS)

# Ten minutes of play at 24 tables, shown by two halls, while servers, halls, tables and networks are killed and cut at random.
test-chaos: $(VENV)/test.stamp
	CHAOS_S=600 CHAOS_TABLES=24 CHAOS_FACTOR=5 $(BIN)/python -m pytest -n 0 -s --timeout 1800 tests/service/hall/test_chaos.py $(ARGS)

# Sixteen players, a Swiss of four rounds through four real simulated tables at a time, by itself.
test-hall-day: $(VENV)/test.stamp
	HALL_PLAYERS=16 HALL_TABLES=4 HALL_ROUNDS=4 HALL_POINTS=3 HALL_FACTOR=10 $(BIN)/python -m pytest -n 0 -s --timeout 3600 tests/service/hall/test_day_of_tables.py $(ARGS)

# A director's day in a real browser, a picture of each step in director-day/.
director-day: $(VENV)/test.stamp
	$(BIN)/python -m tests.service.hall.director_day director-day $(ARGS)

# Two hundred random tournaments on paper, standings worked out twice.
test-tournaments: $(VENV)/test.stamp
	TOURNAMENTS=200 $(BIN)/python -m pytest -n 0 tests/service/tournament $(ARGS)

# A table killed 200 times, by hand and with camera and board running; and the demo stopped and started at every second of its film.
# With CRASH_ROOM=build/crash the second of these goes on where it was stopped.
test-crash: $(VENV)/test.stamp
	CRASHES=200 $(BIN)/python -m pytest -n 0 tests/service/table/test_crash.py $(ARGS)
	DEMO_STOPPED_EVERY=1 $(BIN)/python -m pytest -n 0 tests/service/table/test_restarted_demo.py $(ARGS)

# The power goes at a thousand moments of a recorded story; a thousand backups with one bit flipped.
test-power: $(VENV)/test.stamp
	CUTS=1000 FLIPS=1000 $(BIN)/python -m pytest -n 0 tests/service/journal/test_power.py tests/service/appliance/test_backup.py $(ARGS)

# Two phones as the clock over a bad network: 10,000 presses in simulated time, none lost or twice, each at the finger's own time.
test-phone: $(VENV)/test.stamp
	PHONE_PRESSES=10000 $(BIN)/python -m pytest -n 0 tests/service/web/test_phone_link.py $(ARGS)

# The report's error rates of 30 matches beside gnubg's own analysis, and Open Sage's beside them; goes on where it was stopped.
# MATCHES=/a/folder of .mat files; two hours of one core, ARGS="part=1/2 keep=DIR" beside part=2/2 half as long.
bench-engines: $(VENV)/test.stamp
	@test -n "$(MATCHES)" || { echo "say where the .mat files are: make bench-engines MATCHES=/a/folder" >&2; exit 2; }
	$(BIN)/python -m tests.service.report.engine_bar $(MATCHES) $(ARGS)

# Match files through every format and through gnubg, then each in some 40 variants (ends of lines, encodings, tabs, names ...), every difference printed. MATCHES=/a/folder of .mat, .sgf and .xg files.
round-trip: $(VENV)/test.stamp
	@test -n "$(MATCHES)" || { echo "say where the match files are: make round-trip MATCHES=/a/folder" >&2; exit 2; }
	$(BIN)/python -m tests.rules.round_trip $(MATCHES)
	$(BIN)/python -m tests.rules.variants $(MATCHES)

# Fifty thousand damaged match files of every format: read or refused with a reason, and what is read keeps its score when written.
# Goes on where it was stopped; four minutes of one core (ARGS="count=1000" for a taste).
fuzz-files: $(VENV)/test.stamp
	$(BIN)/python -m tests.rules.damaged_files $(ARGS)

# The soak: a thousand games of simulated people, with a clock and both sensors, and with the camera alone. It goes on where it was stopped
# (two hours a core each; ARGS="--games 20" for a taste, ARGS="--shard 1/4" for a part of it).
SOAK := $(BIN)/takhte simulate --seed 1000 -j 2 --resume build/soak
SETUPS := "--clock ours" "--clock none --board none"
soak: $(VENV)/run.stamp
	for setup in $(SETUPS); do $(SOAK) --games 1000 $$setup $(ARGS) || exit 1; done

# The bar of the record: club and tavern people, a thousand games of backgammon and a hundred of every other ruleset, in both set-ups.
soak-all: $(VENV)/run.stamp
	for setup in $(SETUPS); do for people in club tavern; do \
	  $(SOAK) --games 1000 --players $$people $$setup $(ARGS) || exit 1; \
	  for rules in nackgammon nard nard-himly nard-bozorgmehr narde; do \
	    $(SOAK) --games 100 --ruleset $$rules --players $$people $$setup $(ARGS) || exit 1; done; done; done

lint: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory -j 2 --output-sync=target lint-python lint-pages

lint-python: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

lint-pages: $(VENV)/test.stamp
	npm run --silent lint

format: $(VENV)/test.stamp
	$(BIN)/ruff format .
	npm run --silent format

# Every benchmark at full size; ARGS=rules for one, ARGS="rules positions=200" for less of it, ARGS=--smallest for what `make test` runs.
bench: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench $(ARGS)

# The board's promises, measured (about half an hour; ARGS=presses=200 for a taste, ARGS=parts=cable,reset for some, ARGS=chip=rp2040 for the other chip).
bench-board: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench board $(ARGS)

# Ten thousand presses at bit errors of 1e-3, and moves, cables, resets and stalls to match, on both emulated chips: a quarter of an hour a chip.
# It goes on where it was stopped (build/presses-CHIP); ARGS=presses=500 for a taste.
bench-presses: $(VENV)/test.stamp
	for chip in mega2560 rp2040; do echo "-- $$chip"; \
	  $(BIN)/python -m tests.bench board parts=latency,cable,reset,stall,bit_error_rate chip=$$chip kept=build/presses $(ARGS) || exit 1; done

# A thousand boards with one fault, two hundred with two, a hundred sound ones, each through a game; goes on where it was stopped.
bench-faults: $(VENV)/test.stamp
	@mkdir -p build
	$(BIN)/python -m tests.bench board parts=sensor_faults kept=build/sensor-faults $(ARGS)

# What teaching networks needs of shipped weights; brings torch (some 200 MB).
test-train: $(VENV)/test.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[train]'
	$(BIN)/python -m pytest -n 0 -m train tests/vision/train $(ARGS)

# The printed boards anew from their schematics as code: netlists, layout, design rules, gerbers (needs KiCad 6; see hardware/pcb/README.md).
pcb:
	$(MAKE) -C hardware/pcb

# The whole suite of boards on the emulated RP2040 too (some three minutes), of which `make test` runs a part.
test-chips: $(VENV)/test.stamp
	BOARD_CHIPS=all $(BIN)/python -m pytest -n 0 tests/firmware_bridge/test_board.py -k rp2040 $(ARGS)

# The same suite against metal: BOARD_PORT=/dev/ttyACM0 make test-board
test-board: $(VENV)/test.stamp
	@test -n "$(BOARD_PORT)" || { echo "say which port: BOARD_PORT=/dev/ttyACM0 make test-board" >&2; exit 2; }
	BOARD_PORT=$(BOARD_PORT) $(BIN)/python -m pytest -n 0 tests/firmware_bridge/test_board.py -m metal $(ARGS)

# Films encoded anew at seven JPEG qualities with noise and half a pixel's shift; ARGS="films=/a/clip,/another" for others than the demo's.
bench-encodings: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench encodings $(ARGS)

# Instructions of a read, counted by valgrind, and what a Raspberry Pi 5 would take for it: an estimate. Some five minutes of a core.
bench-raspberry: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench raspberry $(ARGS)

# Whole matches painted as films in palettes never trained on, at a calm and at a blitz's pace: some 25 minutes.
bench-films: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench match_film $(ARGS)

# Three painted films of one game before a live table, from the opening throw to the last checker, at 18, 9 and 3 seconds a turn.
bench-live-films: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench live_film $(ARGS)

# 2,000 viewers of one table (VIEWERS=10000 for more) beside a bare socket; from a committed entry to changed pixels, the page's weight,
# and the first evening with a phone: every tap, seconds to the first play.
bench-viewers: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench viewers $(if $(VIEWERS),viewers=$(VIEWERS)) $(ARGS)

# Two minutes: a page amid 5,000 idle, slow and lying sockets, 200 sign-ins and 500 viewers, beside the same page left alone.
bench-hostile: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench hostile $(ARGS)

# Twenty thousand random instants: every public answer as a page gives it that knows nothing younger than the delay.
test-younger: $(VENV)/test.stamp
	INSTANTS=20000 $(BIN)/python -m pytest -n 0 --timeout 7200 tests/service/web/test_younger_than_told.py $(ARGS)

# The same match as a film, an .mp4 for each layout in films/ (checkers on their way, the cube across the screen).
films: $(VENV)/test.stamp
	@mkdir -p films
	for layout in corner line side full pip; do $(BIN)/python -m tests.service.web.filmed films/$$layout.mp4 --layout $$layout $(ARGS) || exit 1; done

# A match of three games in every layout, language and theme, each frame beside the journal.
test-air: $(VENV)/test.stamp
	WHOLE_MATCHES=1 $(BIN)/python -m pytest -n 0 -s --timeout 3600 tests/service/web/test_air.py $(ARGS)

bench-page: $(VENV)/test.stamp
	$(BIN)/python -m tests.bench page phone $(ARGS)

# Ten minutes of play on the table's page: no focus lost, nothing rebuilt, nothing jumps, the heap flat.
test-still: $(VENV)/test.stamp
	STILL_TURNS=60 $(BIN)/python -m pytest -n 0 tests/service/web/test_stillness.py $(ARGS)

# Every page, light and dark, phone and wall, in each language, into screens/.
screens: $(VENV)/test.stamp
	$(BIN)/python -m tests.service.web.screens screens

# What the README opens with: twenty seconds of the demo, and a picture of it (docs/demo.webp, docs/demo.jpg).
readme-film: $(VENV)/test.stamp
	$(BIN)/python scripts/make_readme_film.py

# The rules at a table, walked by its pages as players and an arbiter, in each language, pictures into screens/walk.
walk: $(VENV)/test.stamp
	$(BIN)/python -m tests.service.web.walk screens/walk

# The API against its own description; checks, seed and number of examples are fixed here.
FUZZ := --checks all --seed 7 --max-examples 60 --phases examples,coverage,fuzzing,stateful --suppress-health-check all
fuzz-api: $(VENV)/test.stamp
	$(BIN)/python -m tests.service.web.fuzz $(FUZZ)

# What a release stands on: every dependency with its hash, what each is (CycloneDX), and whether anything is known against it.
# The tools have an environment of their own. `make audit` fails where its source cannot be reached: silence is no answer.
AUDIT := build/audit
lock: build/requirements.txt
sbom: $(AUDIT)/stamp $(VENV)/run.stamp
	$(AUDIT)/bin/cyclonedx-py environment $(BIN)/python --output-file build/sbom.json
	@echo "build/sbom.json"

audit: build/requirements.txt
	@$(AUDIT)/bin/pip-audit --requirement build/requirements.txt --require-hashes --disable-pip --strict $(ARGS) || \
	  { echo "make audit: NOT CLEAN: something is known against a dependency, or the list of advisories could not be reached; see above" >&2; exit 1; }

build/requirements.txt: $(AUDIT)/stamp pyproject.toml
	$(AUDIT)/bin/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --output-file $@ pyproject.toml
	@echo "$@: install with pip install --require-hashes -r $@"

$(AUDIT)/stamp:
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/pip install --quiet --disable-pip-version-check pip-audit pip-tools cyclonedx-bom
	@touch $@

clean:
	rm -rf $(VENV) node_modules build *.egg-info .pytest_cache .mypy_cache .ruff_cache

$(VENV)/run.stamp: pyproject.toml scripts/system-packages
	@echo "Setting up, once: about a minute."
	scripts/system-packages run
	@echo "1 of 3  an environment of its own in $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "2 of 3  the libraries it stands on (some 200 MB)"
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar on -e . | grep --line-buffered -oE '^(Collecting|Downloading|Installing|ERROR).{0,66}'; test $${PIPESTATUS[0]} -eq 0
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary bgsage -e '.[report]' 2>$(VENV)/report.log || \
	  echo "        no engine of its own for reports on this machine ($(VENV)/report.log): takhte report uses gnubg where it is installed"
	@echo "3 of 3  done: takhte is $(BIN)/takhte; make install puts it on your path"
	@touch $@

# The page is served as it is written; npm brings only what formats, lints and checks it.
$(VENV)/test.stamp: $(VENV)/run.stamp package.json package-lock.json
	@echo "Setting up what the tests need: system packages, and libraries beside them."
	scripts/system-packages test & packages=$$!; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]' && wait $$packages
	npm ci --loglevel error
	touch $@
