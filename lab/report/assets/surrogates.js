// Numbers of surrogates beside the numbers that they are set against: columns of one row instead of rows of their own.
// A number's name tells: "random_walk_continuity_5" is continuity_5 of a random walk, "joint_phases_8" what has the 8
// first, and "sinusoid" alone what stands before it.
const surrogate_names = ["joint_phases", "random_walk", "gaussian_process", "white_noise", "sinusoid"];

function surrogate_of(name) {
  const surrogate = surrogate_names.find((each) => name === each || name.startsWith(`${each}_`));
  return surrogate && { surrogate, what: name.slice(surrogate.length + 1) };
}

/** The number of the list that a surrogate's is set against; undefined where none is, or two would share a cell. */
function set_against(numbers, i, { what }) {
  const own = numbers.filter((number) => !surrogate_of(number.name));
  if (!what) return numbers.slice(0, i).findLast((number) => own.includes(number));
  return own.find((number) => number.name === what) ?? own.find((number) => number.name.endsWith(`_${what}`));
}

/** [number, {surrogate: its number}] of every row, in the list's order. */
function with_surrogates(numbers) {
  const beside = new Map();
  const taken = new Set();
  numbers.forEach((number, i) => {
    const of = surrogate_of(number.name);
    const against = of && set_against(numbers, i, of);
    if (!against) return;
    const cells = beside.get(against) ?? {};
    if (cells[of.surrogate]) return;
    beside.set(against, { ...cells, [of.surrogate]: number });
    taken.add(number);
  });
  return numbers.filter((number) => !taken.has(number)).map((number) => [number, beside.get(number) ?? {}]);
}
