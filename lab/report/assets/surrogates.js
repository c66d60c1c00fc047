// Numbers of surrogates beside the numbers that they are set against: columns of one row instead of rows of their own.
// A number's name tells: "random_walk_continuity_5" is continuity_5 of a random walk, "joint_phases_8" what has the 8
// first, and "sinusoid" alone what stands before it.
const surrogate_names = ["joint_phases", "random_walk", "gaussian_process", "white_noise", "sinusoid"];

function surrogate_of(name) {
  const surrogate = surrogate_names.find((each) => name === each || name.startsWith(`${each}_`));
  return surrogate && { surrogate, what: name.slice(surrogate.length + 1) };
}

/** [number, {surrogate: its number}] of every row, in the list's order; a surrogate's that is set against none, or whose
    cell is taken, has a row of its own. */
function with_surrogates(numbers) {
  const own = numbers.filter((number) => !surrogate_of(number.name));
  const beside = new Map(own.map((number) => [number, {}]));
  const rows = [];
  let before = null; // the last that is no surrogate's
  for (const number of numbers) {
    const of = surrogate_of(number.name);
    if (!of) {
      before = number;
      rows.push(number);
      continue;
    }
    const against = of.what
      ? own.find(({ name }) => name === of.what) ?? own.find(({ name }) => name.endsWith(`_${of.what}`))
      : before;
    const cells = beside.get(against);
    if (cells && !cells[of.surrogate]) cells[of.surrogate] = number;
    else rows.push(number);
  }
  return rows.map((number) => [number, beside.get(number) ?? {}]);
}
