"""A request log of ordinary load: short prompts and answers of some length at a steady mean rate, the same for one seed."""
import random


def write(path, seconds, seed=1, mean_gap=0.12, prompt=(16, 160), answer=(30, 120)):
    """Azure's format (requests of `seconds` in all); returns how many requests there are."""
    rng = random.Random(seed)
    at, rows = 0.0, []
    while at < seconds:
        rows.append((at, rng.randint(*prompt), rng.randint(*answer)))
        at += rng.expovariate(1 / mean_gap)
    with open(path, "w") as log:
        log.write("TIMESTAMP,ContextTokens,GeneratedTokens\n")
        for at, n_prompt, n_answer in rows:
            log.write(f"2023-11-16 {18 + int(at) // 3600:02d}:{int(at) // 60 % 60:02d}:{at % 60:010.7f},{n_prompt},{n_answer}\n")
    return len(rows)
