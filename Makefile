# Everything runs in .venv, which the first target makes; PYTHON chooses the interpreter for it.
PYTHON ?= python3
BIN := .venv/bin
TESTS ?= tests
INPUTS ?= 1000000
ASAN = LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1

.PHONY: build test slow debug asan fuzz lint bench annotate clean

.venv/made: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -e '.[dev]'
	touch $@

build: .venv/made                       ## compile in place
	$(BIN)/python setup.py --quiet build_ext --inplace

test: build                             ## the ordinary tests
	$(BIN)/python -m pytest $(TESTS)

slow: build                             ## with the exhaustive and long ones
	ARCSPEED_SLOW=1 $(BIN)/python -m pytest --timeout=3600 $(TESTS)

debug: .venv/made                       ## bounds checks, and CHECKs that abort with the .pyx line
	ARCSPEED_BUILD=debug $(BIN)/python setup.py --quiet build --build-base build/debug --build-lib build/debug/lib
	cd build/debug && PYTHONPATH=lib ../../$(BIN)/python -X faulthandler -m pytest ../../$(TESTS)

asan-build: .venv/made
	ARCSPEED_BUILD=asan $(BIN)/python setup.py --quiet build --build-base build/asan --build-lib build/asan/lib

asan: asan-build                        ## AddressSanitizer and UndefinedBehaviorSanitizer
	cd build/asan && $(ASAN) PYTHONPATH=lib ../../$(BIN)/python -X faulthandler -m pytest --timeout=1200 ../../$(TESTS)

fuzz: asan-build                        ## a million broken files through the reader, under the sanitizers
	cd build/asan && $(ASAN) PYTHONPATH=lib ../../$(BIN)/python ../../scripts/fuzz_reader.py --inputs $(INPUTS)

lint: .venv/made
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint parser

bench: build                            ## needs ARCSPEED_TREEBANKS
	$(BIN)/python benchmarks/io.py
	$(BIN)/python benchmarks/evaluate.py
	$(BIN)/python benchmarks/transition.py

annotate: .venv/made                    ## build/annotate/**/*.html: which lines talk to Python
	$(BIN)/cython -3 --annotate -X boundscheck=False -X wraparound=False -X cdivision=True \
		--module-name x -o build/annotate.c $(FILE)

clean:
	rm -rf build dist *.egg-info .venv
	find parser -name '*.so' -delete
