# make build   leaves build/bin/summand, and what `cmake --install build --prefix DIR` installs
# make demo    runs the main job on a real model
# make train   builds summand-train, which `summand pretrain` runs, on libtorch from PyPI
# make bench   runs summand beside its rivals, in turns: bench-embedding, which MODELS=minilm and WORK=sentences narrow;
#              bench-python, the package of Python; bench-training and bench-finetuning, beside loops of transformers; all by
#              ROUNDS=3, and but for bench-python by ONLY=fp32
# make bench-serving  runs summand serve beside other servers, in turns: ROUNDS=3 SECONDS=5 KINDS=short,rerank SERVERS="A;B"
#              OUTPUT=FILE
# make reports runs the laboratory in full on all-MiniLM-L6-v2 and on the checkpoints of models/, and compares them:
#              FOLDER=build/reports, 20 minutes on two cores
# make docs    writes the API page, build/docs/html/index.html
# make test    runs the tests, the references included; make test-all also those that build summand again, and the
#              long tables of the laboratory and the trainer
# make fuzz    searches the readers of foreign files for input that harms, a minute each
# make test-arm  builds for 64-bit ARM and runs the tests of the library and of the program under qemu
# make test-sanitize  runs every test under the address, undefined-behaviour and thread sanitizers
.PHONY: configure build train demo test test-all bench bench-embedding bench-python bench-training bench-finetuning bench-serving reports docs test-arm test-sanitize fuzz format

configure:
	@scripts/install_debian_packages
	@scripts/install_python_packages demo
	@[ -e build/build.ninja ] || cmake --preset release

build: configure
	@cmake --build build --target summand summand_library summand-lab summand-serve

train: build
	@scripts/install_python_packages train
	@cmake --preset release >/dev/null  # finds libtorch where it has just been installed
	@cmake --build build --target summand-train

demo:
	@scripts/demo --announce
	@$(MAKE) --no-print-directory build
	@scripts/demo

test: configure
	@scripts/install_debian_packages tests
	@scripts/install_python_packages tests
	@cmake --preset release >/dev/null  # finds libtorch where it has just been installed
	@cmake --build build
	@scripts/run_tests short

test-all: test
	@scripts/install_debian_packages arm
	@scripts/install_arm_libraries
	@scripts/install_debian_packages scale
	@scripts/install_python_packages adapters
	@scripts/install_python_packages scale
	@scripts/run_tests long

bench: bench-embedding bench-python bench-training bench-finetuning

bench-embedding: configure
	@scripts/install_python_packages bench
	@cmake --preset release >/dev/null  # finds oneDNN where it has just been installed
	@cmake --build build --target summand bench_embedding bench_limit bench_tokenizer
	@.venv-bench/bin/python bench/compare.py $(foreach option,ROUNDS THREADS MODELS ONLY WORK RIVALS,\
	  $(if $($(option)),--$(shell echo $(option) | tr A-Z a-z) $($(option))))

bench-python: configure
	@scripts/install_python_packages bench-python
	@cmake --build build --target summand _summand
	@.venv-bench-python/bin/python bench/python_encode.py $(foreach option,ROUNDS THREADS TEXTS,\
	  $(if $($(option)),--$(shell echo $(option) | tr A-Z a-z) $($(option))))

bench-serving: configure
	@scripts/install_debian_packages serving
	@for set in bench-serving bench-infinity bench-infinity-onnx; do scripts/install_python_packages $$set || exit 1; done
	@cmake --build build --target summand summand-serve
	@.venv-bench-serving/bin/python bench/serving.py $(foreach option,ROUNDS THREADS SECONDS KINDS SERVERS OUTPUT,\
	  $(if $($(option)),--$(shell echo $(option) | tr A-Z a-z) '$($(option))'))

bench-training: train
	@scripts/install_python_packages tests
	@cmake --build build --target batch_probe
	@.venv/bin/python bench/training.py $(foreach option,ROUNDS THREADS ONLY,\
	  $(if $($(option)),--$(shell echo $(option) | tr A-Z a-z) $($(option))))

bench-finetuning: train
	@scripts/install_python_packages tests
	@.venv/bin/python bench/finetuning.py $(foreach option,ROUNDS THREADS ONLY TEXTS,\
	  $(if $($(option)),--$(shell echo $(option) | tr A-Z a-z) $($(option))))

test-arm:
	@scripts/install_debian_packages
	@scripts/install_debian_packages arm
	@scripts/install_arm_libraries
	@scripts/install_python_packages demo
	@scripts/install_python_packages tests
	@scripts/test_arm

test-sanitize:
	@scripts/install_debian_packages
	@scripts/install_debian_packages tests
	@scripts/install_python_packages demo
	@scripts/install_python_packages tests
	@scripts/test_sanitize

fuzz:
	@scripts/install_debian_packages
	@scripts/install_python_packages demo
	@scripts/fuzz

reports: build
	@scripts/make_reports $(FOLDER)

docs: configure
	@scripts/install_debian_packages tests
	@cmake --build build --target docs
	@echo build/docs/html/index.html

format:
	clang-format-14 -i $$(git ls-files '*.cpp' '*.hpp')
