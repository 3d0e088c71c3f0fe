import { fill, part } from './elements.ts';

interface Choice {
  readonly looksBack: boolean;
  readonly isEmpty: boolean;
  /** By somebody, and not by the page. */
  readonly isChosen: boolean;
}

/** Tells whether calls that look back are shown. Where there is nothing at all there is nothing to choose. */
export function tellChoice(choice: Choice): void {
  part('#atlas-choice', HTMLElement).hidden = choice.isEmpty && choice.looksBack;
  part('#atlas-back', HTMLInputElement).checked = choice.looksBack;
  fill(part('#atlas-scope', HTMLElement), choiceWords(choice));
}

function choiceWords({ looksBack, isEmpty, isChosen }: Choice): string {
  if (isEmpty) return '';
  if (!looksBack) return 'These calls were stated before the prices were known.';
  const words = 'Among these are calls that were stated after the prices were known.';
  return isChosen ? words : `${words} Of the others there are too few to be shown alone.`;
}
