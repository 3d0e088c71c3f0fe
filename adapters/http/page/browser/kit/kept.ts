/** What the reader chose in this browser, such as columns; the service does not know it, and signing out removes it. */
export function keptChoice<Choice>(name: string, isChoice: (value: unknown) => value is Choice, none: Choice): Choice {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    return isChoice(value) ? value : none;
  } catch {
    return none;
  }
}

/** Keeps a choice, as far as the browser lets pages keep anything. */
export function keepChoice(name: string, choice: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(choice));
  } catch {
    // It holds until the page is closed.
  }
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

const LETTERS = 'letter-keys';

/** Whether keys of one letter do something: who speaks to the device, or hits keys by accident, turns them off. */
export function lettersWork(): boolean {
  return keptChoice(LETTERS, (value) => typeof value === 'boolean', true);
}

export function keepLetters(work: boolean): void {
  keepChoice(LETTERS, work);
}
