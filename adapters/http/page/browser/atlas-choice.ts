import { fill, part } from './elements.ts';

interface Choice {
  readonly looksBack: boolean;
  readonly isEmpty: boolean;
  /** By somebody, and not by the page. */
  readonly isChosen: boolean;
}

/** Shows whether retroactive decisions are included. An empty atlas offers no choice. */
export function showChoice(choice: Choice): void {
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
