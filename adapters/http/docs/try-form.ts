import type { Operation, Parameter } from '../openapi/reference.ts';
import { html, Markup } from './markup.ts';

/**
 * A form that sends the operation to this service. The script of the page shows it; without the script there is the
 * command line. Operators' operations have none.
 */
export function tryForm(path: string, method: string, operation: Operation): Markup | null {
  const { operationId, parameters, requestBody, tags } = operation;
  const [media] = Object.entries(requestBody?.content ?? {});
  if (tags.includes('Admin')) return null;
  const body = media && bodyField(operationId, media[0], media[1].example);
  return html`<form class="try" hidden data-method="${method.toUpperCase()}" data-path="${path}">
${parameters.map((parameter) => field(operationId, parameter))}${body}
<p><button type="submit">Send it to this service</button>${method !== 'get' && html` <small>It does what it says.</small>`}</p>
<output></output>
</form>`;
}

function field(operationId: string, { name, in: place, required, example }: Parameter): Markup {
  const id = `try-${operationId}-${name}`;
  // A key for repeating a request must be new for each one.
  const value = place === 'path' || (place === 'query' && required) ? (example ?? '') : '';
  return html`<p><label for="${id}">${name}</label><input id="${id}" name="${name}" data-in="${place}" value="${String(value)}" autocomplete="off" spellcheck="false"${required && new Markup(' required')}></p>`;
}

function bodyField(operationId: string, type: string, example: unknown): Markup {
  const id = `try-${operationId}-body`;
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  const rows = Math.min(16, text.split('\n').length + 1);
  return html`<p><label for="${id}">Body</label><textarea id="${id}" data-in="body" data-type="${type}" rows="${rows}" spellcheck="false">
${text}</textarea></p>`;
}
