import { announce } from './announcements.ts';
import { openDialog } from './dialogs.ts';
import { button, h } from './elements.ts';
import { RefusedRequest, refusalWords } from './refused-request.ts';

/**
 * Runs what a button does, and says that it is done. A refusal is shown in a dialog, except that of a login that the
 * reader did not want to repeat. Returns whether it was done.
 */
export async function attempt(failed: string, done: string, action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    announce(done);
    return true;
  } catch (error) {
    if (!(error instanceof RefusedRequest)) reportError(error);
    if (!(error instanceof RefusedRequest && error.code === 'REAUTHENTICATION_REQUIRED')) {
      await openDialog<true>(failed, (close) => [
        h('p', { role: 'alert' }, refusalWords(error)),
        h(
          'div',
          { class: 'buttons' },
          button('Close', () => close(null), { autofocus: true }),
        ),
      ]);
    }
    return false;
  }
}

/** After a change the part of the view is read anew; the button that did it is gone, so the part gets the focus. */
export async function renewed(part: HTMLElement, show: () => Promise<unknown>): Promise<void> {
  await show();
  part.setAttribute('tabindex', '-1');
  part.focus({ preventScroll: true });
}
