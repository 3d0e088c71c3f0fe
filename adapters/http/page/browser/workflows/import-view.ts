import { ask } from '../kit/ask.ts';
import { announce } from '../kit/dialogs.ts';
import { addressOfFile, button, fill, h } from '../kit/elements.ts';
import { areaField } from '../kit/forms.ts';
import { RefusedRequest, refusalWords } from '../kit/refused-request.ts';
import { goTo } from '../shell/arrival.ts';
import { workflowPath } from './editor/save-draft.ts';
import { numberedLines, type PlacedFault, placedFaults } from './faulty-lines.ts';
import type { WireSummary, WireWorkflow } from './wire-workflows.ts';

let loaded: Promise<void> | undefined;

const TITLE = 'Import a workflow';

/** Takes a workflow as YAML, from a file or as text; faults are shown at their lines. */
export async function showImport(view: HTMLElement): Promise<string> {
  const file = h('input', { type: 'file', id: 'yaml-file', accept: '.yaml,.yml,.txt,text/*' });
  const text = areaField(
    { name: 'yaml', label: 'The text', hint: 'In the form of the export.' },
    { rows: 14, spellcheck: 'false', wrap: 'off', required: true },
  );
  const faults = h('div', { class: 'faults', id: 'yaml-faults', tabindex: -1, role: 'alert' });
  const send = h('button', { type: 'submit', class: 'primary' }, 'Import');
  const form = h(
    'form',
    { class: 'form wide' },
    h('div', { class: 'field' }, h('label', { for: 'yaml-file' }, 'A file'), file),
    text.element,
    h('div', { class: 'buttons' }, send),
  );
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? [];
    if (chosen) text.control.value = await chosen.text();
    fill(faults);
    send.focus();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    fill(faults);
    try {
      goTo(`#/workflows/${(await importYaml(text.control.value)).id}`);
    } catch (error) {
      showFaults(faults, error, text.control as HTMLTextAreaElement);
    } finally {
      send.disabled = false;
    }
  });
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/workflows' }, 'Workflows'), ' / import'),
    h('h1', { tabindex: -1 }, TITLE),
    h('p', {}, 'A workflow as a YAML file becomes a draft of your own. It may be unfinished.'),
    form,
    faults,
  );
  return TITLE;
}

function importYaml(text: string): Promise<WireSummary> {
  const body = new Blob([text], { type: 'application/yaml' });
  return ask('/api/v1/owner/workflows/import', { method: 'POST', body });
}

/** The faults with the lines around them; each line number is a button that goes to the line in the text. */
function showFaults(box: HTMLElement, error: unknown, area: HTMLTextAreaElement): void {
  if (!(error instanceof RefusedRequest)) reportError(error);
  const details = error instanceof RefusedRequest ? placedFaults(error.faults) : [];
  fill(
    box,
    h('p', { class: 'notice' }, refusalWords(error)),
    details.length > 0 && h('ul', {}, ...details.map((fault) => faultItem(fault, area))),
  );
  box.focus();
}

function faultItem({ line, column, words }: PlacedFault, area: HTMLTextAreaElement): HTMLElement {
  const around = numberedLines(area.value, line);
  return h(
    'li',
    {},
    h(
      'p',
      {},
      button(`Line ${line}, column ${column}`, () => goToLine(area, line)),
      ` ${words}`,
    ),
    h(
      'pre',
      { tabindex: 0, 'aria-label': `The text at line ${line}` },
      ...around.map((each) =>
        h(
          'span',
          { class: each.number === line && 'at' },
          `${String(each.number).padStart(4)}${' '.repeat(2)}${each.text}`,
        ),
      ),
    ),
  );
}

function goToLine(area: HTMLTextAreaElement, line: number): void {
  const lines = area.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  const height = Number.parseFloat(getComputedStyle(area).lineHeight);
  area.scrollTop = Math.max(0, (line - 4) * height);
}

/** Loads the style of these views at their first visit; without it they are plain, and work. */
export function loadStyle(): Promise<void> {
  loaded ??= new Promise((resolve) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = addressOfFile('workflows.css');
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => resolve());
    document.head.append(link);
  });
  return loaded;
}

/** Makes an own copy of a workflow and opens it. The list that it was in stays. */
export async function fork(id: string): Promise<false> {
  try {
    const copy = await ask<WireWorkflow>(`${workflowPath(id)}/fork`, { method: 'POST' });
    announce('Copied: this is your own draft.');
    goTo(`#/workflows/${copy.id}`);
  } catch (error) {
    announce(refusalWords(error));
  }
  return false;
}
