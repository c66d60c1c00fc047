"""Makes the quick report of MiniLM that tests share (summand_testing.minilm_report). What is there of the same program and model
is kept."""

import subprocess

import summand_testing


def main():
    folder = summand_testing.BUILD / "tests" / "lab" / "minilm-report"
    command = [summand_testing.BIN / "summand-lab", "--model", summand_testing.minilm(), "-o", folder, "--quick"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (folder / "summary.txt").write_text(run.stdout)


if __name__ == "__main__":
    main()
