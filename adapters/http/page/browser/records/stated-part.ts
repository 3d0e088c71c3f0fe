import { fill, h } from '../kit/elements.ts';
import { readAgentNames } from '../kit/lists.ts';
import { textAt } from '../kit/proof-files.ts';
import { cosignersOf, fromNow, instant, statedWords } from '../kit/value-texts.ts';
import type { Detail } from '../kit/wire.ts';

/**
 * The first line of a record: when it was stated, by whom, whether before the prices were known, and who saw that. It is
 * what the service says, until the reader verifies it.
 */
export function statedPart(record: Detail, signal: AbortSignal): HTMLElement {
  const { submission_time: time, log, submission_origin } = record;
  const [agent, seen] = [h('span', {}, 'an agent'), h('span')];
  if (record.view === 'owner') void nameAgent(agent, record.agent_id, signal);
  if (log !== null) void nameWitnesses(seen, record, signal);
  const late = log?.late ? ', late' : '';
  const isAfter = submission_origin === 'retroactive';
  return h(
    'p',
    { class: 'stated' },
    h(
      'span',
      {},
      h('b', {}, 'Stated ', h('time', { datetime: time, title: fromNow(time) }, instant(time))),
      ' by ',
      agent,
    ),
    h(
      'span',
      {},
      isAfter ? h('strong', {}, statedWords(record).replace('stated ', '')) : 'before the prices were known',
    ),
    h('span', {}, log === null ? 'not in the log yet' : `in the log as leaf ${log.index}${late}`),
    seen,
  );
}

async function nameAgent(box: HTMLElement, agentId: string, signal: AbortSignal): Promise<void> {
  const names = await readAgentNames(signal);
  fill(box, names.find(({ agent_id }) => agent_id === agentId)?.name ?? agentId);
}

/** The signatures that others put below the log's own; nothing where the proof cannot be read. */
async function nameWitnesses(box: HTMLElement, { view, record_id }: Detail, signal: AbortSignal): Promise<void> {
  const path =
    view === 'owner' ? `/api/v1/agent/decisions/${record_id}/receipt` : `/api/v1/public/decisions/${record_id}/proof`;
  const proof = await textAt(path, signal).catch(() => null);
  if (proof === null || signal.aborted) return;
  const names = cosignersOf(proof);
  box.title = names.join(', ');
  fill(box, names.length === 0 ? 'seen by no witness' : `seen by ${names.length}`);
}
