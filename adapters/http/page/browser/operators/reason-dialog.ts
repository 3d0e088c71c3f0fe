import { openDialog } from '../kit/dialogs.ts';
import { button, h } from '../kit/elements.ts';
import { areaField, form } from '../kit/forms.ts';

interface Reasoned {
  readonly title: string;
  /** What happens. */
  readonly words: string;
  /** The button, as a verb. */
  readonly action: string;
  /** Who sees the reason. */
  readonly hint: string;
  send(reason: string): Promise<unknown>;
}

/** Asks for a reason, and does it; false if the operator does not want to. */
export async function reasonDialog({ title, words, action, hint, send }: Reasoned): Promise<boolean> {
  const reason = areaField({ name: 'reason', label: 'Reason', hint }, { required: true, autofocus: true });
  const isDone = await openDialog<true>(title, (close) => [
    h('p', {}, words),
    form({
      fields: [reason],
      action,
      extra: [button('Cancel', () => close(null))],
      async send() {
        await send(reason.control.value);
        close(true);
      },
    }),
  ]);
  return isDone === true;
}
