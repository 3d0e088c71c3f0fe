/**
 * The plants of these names, `all` for every one.
 *
 * Ends the campaign with exit code 2 when there is no such plant.
 */
export function chosenPlants<P>(
  plants: Readonly<Record<string, P>>,
  name: string | undefined,
): readonly (readonly [name: string, plant: P])[] {
  if (name === undefined) return [];
  const chosen = Object.entries(plants).filter(([each]) => name === 'all' || each === name);
  if (chosen.length === 0) rejectArguments(`Unknown plant ${name}. Choose one of ${Object.keys(plants).join(', ')}.`);
  return chosen;
}

/** Prints what is wrong with the arguments and ends the campaign with exit code 2. */
export function rejectArguments(message: string): never {
  console.error(message);
  process.exit(2);
}
