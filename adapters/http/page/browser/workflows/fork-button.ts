import { announce } from '../kit/announcements.ts';
import { ask } from '../kit/ask.ts';
import { button } from '../kit/elements.ts';
import { refusalWords } from '../kit/refused-request.ts';
import { goTo } from '../shell/arrival.ts';
import { workflowPath } from './editor/save-draft.ts';
import type { WireWorkflow } from './wire-workflows.ts';

/** Makes an own copy of a workflow and opens it. */
export function forkButton(id: string, name: string): HTMLElement {
  return button('Copy', () => fork(id), { 'aria-label': `Copy ${name} to your workflows` });
}

async function fork(id: string): Promise<void> {
  try {
    const copy = await ask<WireWorkflow>(`${workflowPath(id)}/fork`, { method: 'POST' });
    announce('Copied: this is your own draft.');
    goTo(`#/workflows/${copy.id}`);
  } catch (error) {
    announce(refusalWords(error));
  }
}
