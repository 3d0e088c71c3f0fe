import type { Envelope } from '../kit/reply/envelope.ts';
import type { Operation, Reference } from '../openapi/reference.ts';
import { html, type Markup, prose } from './markup.ts';

type Examples = Reference['components']['examples'];

/** A refusal of an operation. */
interface Refusal {
  readonly status: string;
  readonly code: string;
}

/** The refusals of one operation in words. Those that most operations have are described once, below Errors. */
export function refusalList(
  operation: Operation,
  { examples, common }: { readonly examples: Examples; readonly common: ReadonlySet<string> },
): Markup | null {
  const all = refusalsOf(operation);
  const own = all.filter(({ code }) => !common.has(code));
  if (all.length === 0) return null;
  const rows = own.map(({ status, code }) => {
    const example = examples[code]?.value as Envelope | undefined;
    const words = example && html`: ${prose(example.error.message)} ${prose(example.error.suggestion)}`;
    return html`<li><span class="status s${status.charAt(0)}">${status}</span> <a href="#error-${code}"><code>${code}</code></a>${words}</li>`;
  });
  const others = [...new Set(all.filter(({ code }) => common.has(code)).map(({ status }) => status))].join(', ');
  return html`<h4>When it is refused</h4>
${rows.length > 0 && html`<ul class="refusals">${rows}</ul>`}
${others !== '' && html`<p class="auth">And as most operations: ${others}, see <a href="#errors">Errors</a>.</p>`}`;
}

/** The codes that at least half of the operations may refuse with. */
export function commonCodes(operations: readonly Operation[]): ReadonlySet<string> {
  const codes = operations.flatMap((operation) => [...new Set(refusalsOf(operation).map(({ code }) => code))]);
  const counts = Map.groupBy(codes, (code) => code);
  return new Set([...counts].filter(([, each]) => each.length * 2 >= operations.length).map(([code]) => code));
}

function refusalsOf({ responses }: Operation): readonly Refusal[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Object.values(content ?? {}).flatMap(({ examples }) =>
      Object.keys(examples ?? {}).map((code) => ({ status, code })),
    ),
  );
}
