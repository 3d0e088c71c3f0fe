import { ask } from '../kit/ask.ts';
import { openDialog } from '../kit/dialogs.ts';
import { button, h } from '../kit/elements.ts';
import { areaField, form } from '../kit/forms.ts';

/** Asks why, and trips the circuit; false if the operator does not want to. */
export async function tripDialog(coin: string): Promise<boolean> {
  const reason = areaField(
    { name: 'reason', label: 'Reason', hint: 'Stored in the history and in the audit log, for ever.' },
    { required: true, autofocus: true },
  );
  const isDone = await openDialog<true>(`Trip the circuit of ${coin}`, (close) => [
    h('p', {}, `Decisions quoted in ${coin} that are sent from now on are counted in cohorts of their own.`),
    form({
      fields: [reason],
      action: 'Trip the circuit',
      extra: [button('Cancel', () => close(null))],
      async send() {
        await ask(`/api/v1/admin/stablecoin/${coin}/trip`, { method: 'POST', body: { reason: reason.control.value } });
        close(true);
      },
    }),
  ]);
  return isDone === true;
}

/** Asks for a justification and its evidence, and resolves the circuit; false if the operator does not want to. */
export async function resolveDialog(coin: string): Promise<boolean> {
  const justification = areaField(
    { name: 'justification', label: 'Why the coin is sound again' },
    { required: true, autofocus: true },
  );
  const evidence = areaField(
    { name: 'evidence_urls', label: 'Evidence', hint: 'One https address a line. They are stored and never fetched.' },
    { required: true },
  );
  const isDone = await openDialog<true>(`Resolve the circuit of ${coin}`, (close) => [
    h('p', {}, `${coin} counts as the dollar again. Earlier decisions keep their cohorts.`),
    form({
      fields: [justification, evidence],
      action: 'Resolve the circuit',
      extra: [button('Cancel', () => close(null))],
      async send() {
        const evidence_urls = evidence.control.value
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '');
        const body = { justification: justification.control.value, evidence_urls };
        await ask(`/api/v1/admin/stablecoin/${coin}/resolve`, { method: 'POST', body });
        close(true);
      },
    }),
  ]);
  return isDone === true;
}
