/** What an owner chose: it goes when they sign out. */
const OF_OWNER = ['decision-filters', 'decision-columns', 'time-zone', 'verified-first'] as const;

/** How keys work in this browser, for anybody. */
const LETTERS = 'letter-keys';

type Name = (typeof OF_OWNER)[number] | typeof LETTERS;

/** What the reader chose in this browser, such as columns; the service does not know it. */
export function keptChoice<Choice>(name: Name, isChoice: (value: unknown) => value is Choice, none: Choice): Choice {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    return isChoice(value) ? value : none;
  } catch {
    return none;
  }
}

/** Keeps a choice, as far as the browser lets pages keep anything. */
export function keepChoice(name: Name, choice: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(choice));
  } catch {
    // It holds until the page is closed.
  }
}

/** Removes what an owner chose: the next one who signs in here does not see it. */
export function forgetChoices(): void {
  for (const name of OF_OWNER) localStorage.removeItem(name);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Whether keys of one letter do something: who speaks to the device, or hits keys by accident, turns them off. */
export function lettersWork(): boolean {
  return keptChoice(LETTERS, (value) => typeof value === 'boolean', true);
}

export function keepLetters(work: boolean): void {
  keepChoice(LETTERS, work);
}
