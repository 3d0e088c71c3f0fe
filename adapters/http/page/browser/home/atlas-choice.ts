import { fill, part } from '../kit/elements.ts';

interface Choice {
  readonly includesRetroactive: boolean;
  readonly isEmpty: boolean;
  /** Whether the reader chose; false: the page did. */
  readonly isChosen: boolean;
}

/** Shows whether retroactive decisions are included. An empty atlas offers no choice. */
export function showChoice(choice: Choice): void {
  part('#atlas-choice', HTMLElement).hidden = choice.isEmpty && choice.includesRetroactive;
  part('#atlas-back', HTMLInputElement).checked = choice.includesRetroactive;
  fill(part('#atlas-scope', HTMLElement), choiceWords(choice));
}

function choiceWords({ includesRetroactive, isEmpty, isChosen }: Choice): string {
  if (isEmpty) return '';
  if (!includesRetroactive) return 'These decisions were stated before the prices were known.';
  const words = 'Some of these decisions were stated after the prices were known.';
  return isChosen ? words : `${words} There are too few others to show them alone.`;
}
