import { type Child, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/forms.ts';
import { RefusedRequest } from '../../kit/refused-request.ts';
import { replaceAddress } from '../../shell/arrival.ts';

/** The token of a mailed link; empty without one. It leaves the address and the history at once, since it is a secret. */
export function takeToken({ rest }: Pick<Visit, 'rest'>, address: string): string {
  if (rest !== '') replaceAddress(address);
  return rest.trim();
}

/** Whether the refusal is of the link, which cannot be used again, and not of what was sent with it. */
export function isOfLink(error: unknown): boolean {
  if (!(error instanceof RefusedRequest)) return false;
  return error.code === 'LINK_INVALID' || error.faults.some(({ path }) => path === 'token');
}

/** What a reader with a void link sees. @param next how to get another one */
export function voidLink(...next: readonly Child[]): readonly Child[] {
  return [
    h('h1', { tabindex: -1 }, 'This link does not work'),
    h(
      'p',
      { class: 'notice', role: 'alert' },
      'It was used, a newer one replaced it, it has expired, or a part of it is missing. If you asked more than once, ' +
        'use the newest mail, and open the whole link.',
    ),
    h('p', {}, ...next.filter((each) => each !== null && each !== undefined && each !== false)),
  ];
}
