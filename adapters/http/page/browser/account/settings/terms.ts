import { attempt } from '../../kit/actions.ts';
import { ask } from '../../kit/ask.ts';
import { button, h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showReading } from '../../kit/states.ts';
import { instant } from '../../kit/value-texts.ts';
import type { Visit } from '../../kit/visit.ts';

type Status = Schemas['LegalStatus'];

/** Which versions of the terms are current, and which the owner accepted. */
export async function showTerms(box: HTMLElement, visit: Visit): Promise<void> {
  const { signal } = visit;
  await showReading(box, signal, {
    what: 'the terms',
    read: () => ask<Status>('/api/v1/owner/legal-status', { signal }),
    show: (status) => [h('p', {}, statusWords(status)), !status.up_to_date && acceptance(status, box, visit)],
  });
}

function statusWords({ current, accepted, up_to_date }: Status): string {
  const now = `The current versions are ${current.terms_version} of the terms and ${current.privacy_version} of the privacy notice.`;
  if (accepted === null) return `${now} You have not accepted any.`;
  if (up_to_date) return `${now} You accepted them ${instant(accepted.accepted_at)}.`;
  return `${now} You accepted ${accepted.terms_version} and ${accepted.privacy_version} ${instant(accepted.accepted_at)}.`;
}

function acceptance({ current }: Status, box: HTMLElement, visit: Visit): HTMLElement {
  const accept = async () => {
    const body = { ...current, source: 'page' };
    const isDone = await attempt('The terms are not accepted', 'You have accepted the current terms.', () =>
      ask('/api/v1/owner/legal-acceptance', { method: 'POST', body }),
    );
    if (isDone) await showTerms(box, visit);
  };
  return h('p', {}, button('Accept the current versions', accept, { class: 'primary' }));
}
