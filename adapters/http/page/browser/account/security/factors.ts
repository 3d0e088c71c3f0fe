import { ask } from '../../kit/ask.ts';
import { announce, attempt, isConfirmed, renewed } from '../../kit/dialogs.ts';
import { addressOfFile, button, type Child, fill, h } from '../../kit/elements.ts';
import { form, textField } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { copyLine, secretPanel } from '../../kit/secrets.ts';
import { showReading } from '../../kit/states.ts';
import { s } from '../../kit/svg.ts';
import { counted, instant } from '../../kit/value-texts.ts';
import { passkeyPart } from './passkeys.ts';

/** The empty border that readers of codes need, in modules (ISO/IEC 18004:2015, section 6.3.8). */
const QUIET_ZONE = 4;

const FACTORS = '/api/v1/owner/auth/factors';

interface Parts {
  readonly state: HTMLElement;
  /** Where secrets are shown once. */
  readonly once: HTMLElement;
  readonly signal: AbortSignal;
}

/** The second factors of the account: authenticator app, recovery codes and passkeys. */
export async function showFactors(box: HTMLElement, signal: AbortSignal): Promise<void> {
  const parts = { state: h('div'), once: h('div'), signal };
  fill(box, parts.once, parts.state);
  await showState(parts);
}

async function showState(parts: Parts): Promise<void> {
  const { signal } = parts;
  await showReading(parts.state, signal, {
    what: 'your second factors',
    read: () => ask<Schemas['FactorList']>(FACTORS, { signal }),
    show: (factors) => [
      factors.reset && resetNotice(factors.reset, parts),
      h('p', {}, stateWords(factors)),
      actionsOf(factors, parts),
      ...passkeyPart(factors.passkeys, afterwards(parts)),
    ],
  });
}

function afterwards(parts: Parts) {
  return {
    async added(codes: readonly string[]) {
      showCodes(parts.once, codes);
      await (codes.length > 0 ? showState(parts) : renewed(parts.state, () => showState(parts)));
    },
    changed: () => renewed(parts.state, () => showState(parts)),
  };
}

/** Somebody says that the factors are lost: who still has them keeps them here. */
function resetNotice({ due_at }: NonNullable<Schemas['FactorList']['reset']>, parts: Parts): HTMLElement {
  const keep = async () => {
    const isDone = await attempt('They are still to be removed', 'Your second factors stay.', () =>
      ask(`${FACTORS}/reset`, { method: 'DELETE' }),
    );
    if (isDone) await renewed(parts.state, () => showState(parts));
  };
  const words = 'The operator was asked to remove all your second factors, as if they were lost. They are removed ';
  return h(
    'div',
    { class: 'notice', role: 'alert' },
    h(
      'p',
      {},
      words,
      instant(due_at),
      ', and your sessions end. If you did not ask for it, keep them, and tell the operator.',
    ),
    h('p', {}, button('Keep my second factors', keep)),
  );
}

function stateWords({ totp, passkeys, recovery_codes_left }: Schemas['FactorList']): string {
  const left = `${counted(recovery_codes_left, 'recovery code')} left.`;
  if (totp === null && passkeys.length === 0) return 'No second factor: your password alone signs in.';
  if (totp === null) return `Logins need a passkey, or the password with a recovery code. ${left}`;
  return `Logins need a code of your authenticator app since ${instant(totp.confirmed_at)}. ${left}`;
}

function actionsOf({ totp, recovery_codes_left }: Schemas['FactorList'], parts: Parts): HTMLElement {
  const begin = () =>
    attempt('The app is not added', 'Scan the code with your app.', async () => {
      const begun = await ask<Schemas['BegunTotp']>(`${FACTORS}/totp`, { method: 'POST' });
      fill(parts.state);
      fill(parts.once, ...confirmation(begun, totp !== null, parts));
      parts.once.querySelector('h2')?.focus();
    });
  const renew = () =>
    attempt('The codes are not renewed', 'The new recovery codes are shown.', async () => {
      const made = await ask<Schemas['NewRecoveryCodes']>(`${FACTORS}/recovery-codes`, { method: 'POST' });
      showCodes(parts.once, made.recovery_codes);
      await showState(parts);
    });
  return h(
    'div',
    { class: 'buttons' },
    button(totp === null ? 'Add an authenticator app' : 'Replace the app', begin),
    (totp !== null || recovery_codes_left > 0) && button('New recovery codes', renew),
    totp !== null && button('Remove the app', () => remove(parts), { class: 'danger' }),
  );
}

/** Until the code is confirmed nothing else is offered, and it says that nothing is changed yet. */
function confirmation(
  { secret, otpauth_uri, expires_at }: Schemas['BegunTotp'],
  isReplaced: boolean,
  parts: Parts,
): readonly Child[] {
  const yet = isReplaced
    ? 'Until then logins need a code of the app that you have.'
    : 'Until then no login asks for it.';
  const stop = async () => {
    fill(parts.once);
    await renewed(parts.state, () => showState(parts));
  };
  const code = textField(
    { name: 'totp', label: 'Code that the app shows', hint: `Confirm it until ${instant(expires_at)}. ${yet}` },
    { inputmode: 'numeric', autocomplete: 'one-time-code', required: true },
  );
  return [
    secretPanel({
      title: 'The secret of your app',
      value: secret,
      words:
        'Scan the code with the app, type the secret into it, or open the link on the device that has the app. It is shown only once.',
    }),
    codeOf(otpauth_uri),
    h('p', {}, h('a', { href: otpauth_uri }, 'Open in an authenticator app on this device')),
    form({
      fields: [code],
      action: 'Confirm the app',
      class: 'narrow',
      async send() {
        const body = { totp: code.control.value.replaceAll(' ', '') };
        const added = await ask<Schemas['AddedFactor']>(`${FACTORS}/totp/confirm`, { method: 'POST', body });
        announce('Logins need a code of the app from now on. All other sessions have ended.');
        showCodes(parts.once, added.recovery_codes ?? []);
        await showState(parts);
      },
    }),
    h('p', {}, button('Do not add it', stop)),
  ];
}

/** The code is drawn once its library is there; without it the secret can still be typed. */
function codeOf(address: string): HTMLElement {
  const box = h('div');
  qrDrawing(address, 'QR code of the secret, for the authenticator app').then(
    (drawing) => box.replaceChildren(drawing),
    () => fill(box, h('p', { class: 'soft' }, 'The QR code could not be drawn: type the secret into the app.')),
  );
  return box;
}

async function remove(parts: Parts): Promise<void> {
  const isWanted = await isConfirmed({
    title: 'Remove the authenticator app?',
    words: [
      'Its codes are void at once, and your other sessions end. Without another factor the recovery codes end too.',
    ],
    action: 'Remove the app',
  });
  if (!isWanted) return;
  const isDone = await attempt('The app is not removed', 'The authenticator app is removed.', () =>
    ask(`${FACTORS}/totp`, { method: 'DELETE' }),
  );
  if (isDone) await renewed(parts.state, () => showState(parts));
}

type Uqr = typeof import('uqr');

/** A text as a QR code, dark on light on every screen, because not every reader knows the opposite. */
async function qrDrawing(text: string, name: string): Promise<SVGElement> {
  const { encode }: Uqr = await import(addressOfFile('uqr.mjs'));
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  return s(
    'svg',
    { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': name, 'shape-rendering': 'crispEdges' },
    s('rect', { width: size, height: size, fill: '#fff' }),
    s('path', { d: pathOf(data), fill: '#000' }),
  );
}

/** A square for each dark module. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  return rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
}

/** Shows new recovery codes once; without any, nothing. */
function showCodes(once: HTMLElement, codes: readonly string[]): void {
  if (codes.length === 0) {
    fill(once);
    return;
  }
  fill(
    once,
    h(
      'section',
      { class: 'secret', 'aria-label': 'Recovery codes' },
      h('h2', { tabindex: -1 }, 'Recovery codes'),
      h(
        'p',
        {},
        'Each opens one session in place of the app or the passkey. They are shown only once: keep them where those are not.',
      ),
      copyLine(codes.join(' '), 'Copy all'),
    ),
  );
  once.querySelector('h2')?.focus();
}
