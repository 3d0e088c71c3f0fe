import { ask } from '../../kit/ask.ts';
import { announce, attempt, formDialog } from '../../kit/dialogs.ts';
import { type Child, h } from '../../kit/elements.ts';
import { form, textField } from '../../kit/forms.ts';
import type { WireLogin } from '../../kit/identity.ts';
import { RefusedRequest } from '../../kit/refused-request.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { noteSession } from '../../kit/session-hint.ts';
import { type TableContent, table } from '../../kit/tables.ts';
import { instant } from '../../kit/value-texts.ts';

const FAILED = {
  message: 'The browser could not use a passkey.',
  suggestion: 'Try again, or use another browser or device.',
};

/** By the names of WebAuthn level 3, sections 5.1.3 and 5.1.4. */
const REASONS: Readonly<Record<string, { readonly message: string; readonly suggestion: string }>> = {
  NotAllowedError: {
    message: 'The browser returned no passkey: it was cancelled, took too long, or there is none for this service.',
    suggestion: 'Try again.',
  },
  InvalidStateError: {
    message: 'This device has a passkey of your account already.',
    suggestion: 'Use that one, or add one on another device.',
  },
};

const PASSKEYS = '/api/v1/owner/auth/factors/passkeys';

type Passkey = Schemas['Passkey'];

interface Changed {
  /** A passkey was added, with the recovery codes of a first factor. */
  added(codes: readonly string[]): Promise<void>;
  /** One was renamed or removed. */
  changed(): Promise<void>;
}

/** The passkeys of the account: add, rename and remove them. */
export function passkeyPart(passkeys: readonly Passkey[], then: Changed): readonly Child[] {
  return [
    h('h3', {}, 'Passkeys'),
    h(
      'p',
      {},
      'A passkey signs you in by itself: your device keeps it, and verifies you by a fingerprint, a face or a PIN.',
    ),
    passkeys.length === 0 ? h('p', {}, 'You have none.') : table({ ...TABLE, rows: passkeys }, then.changed),
    hasPasskeys()
      ? newPasskey(then)
      : h('p', { class: 'soft' }, 'This browser makes no passkeys: open this page in another one.'),
  ];
}

const TABLE: Omit<TableContent<Passkey>, 'rows'> = {
  caption: 'Your passkeys, the oldest first.',
  columns: [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Kept', cell: ({ synced }) => (synced ? 'on all your devices' : 'on one device') },
    { title: 'Added', cell: ({ created_at }) => instant(created_at) },
    { title: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : instant(at)) },
  ],
  actions: (passkey) => [
    { label: 'Rename', of: passkey.name, run: () => rename(passkey) },
    { label: 'Remove', of: passkey.name, isDangerous: true, run: () => remove(passkey) },
  ],
};

function newPasskey({ added }: Changed): HTMLElement {
  const name = textField(
    { name: 'name', label: 'Name of the new passkey', hint: 'Such as that of the device. All other sessions end.' },
    { required: true, autocomplete: 'off' },
  );
  return form({
    fields: [name],
    action: 'Add a passkey',
    class: 'narrow',
    async send() {
      const options = await ask<Schemas['PasskeyCreationOptions']>(`${PASSKEYS}/options`, { method: 'POST' });
      const body = { name: name.control.value, passkey: await makePasskey(options) };
      const { recovery_codes } = await ask<Schemas['AddedPasskey']>(PASSKEYS, { method: 'POST', body });
      announce('The passkey is added. All other sessions have ended.');
      await added(recovery_codes ?? []);
    },
  });
}

function rename({ passkey_id, name }: Passkey): Promise<boolean> {
  const field = textField(
    { name: 'name', label: 'Name' },
    { value: name, required: true, autocomplete: 'off', autofocus: true },
  );
  return formDialog({
    title: `Rename ${name}`,
    fields: [field],
    action: 'Rename',
    done: 'The passkey has its new name.',
    send: () => ask(`${PASSKEYS}/${passkey_id}`, { method: 'PATCH', body: { name: field.control.value } }),
  });
}

function remove({ passkey_id, name }: Passkey): Promise<boolean> {
  const send = () => ask(`${PASSKEYS}/${passkey_id}`, { method: 'DELETE' });
  return attempt('The passkey is not removed', 'The passkey is removed.', send, {
    title: `Remove ${name}?`,
    words: [
      'It signs nobody in from now on, and your other sessions end. Without another factor the recovery codes end too.',
      'Your device may go on offering it: delete it there as well.',
    ],
    action: 'Remove the passkey',
  });
}

/** Whether this browser makes and uses passkeys, and reads their options as JSON (WebAuthn level 3, section 5.1). */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Has the browser make a passkey for the options of the service. @throws RefusedRequest */
function makePasskey(options: Schemas['PasskeyCreationOptions']): Promise<Schemas['PasskeyAttestation']> {
  const [pubKeyCredParams, excludeCredentials] = [[...options.pubKeyCredParams], [...options.excludeCredentials]];
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
    ...options,
    pubKeyCredParams,
    excludeCredentials,
  });
  return answerOf<Schemas['PasskeyAttestation']>(navigator.credentials.create({ publicKey }));
}

/** Signs in by a passkey that the reader chooses. @throws RefusedRequest */
export function logInByPasskey(): Promise<void> {
  return provePasskey('/api/v1/public/auth/passkey');
}

/** Logs the owner in again, by a passkey. @throws RefusedRequest */
export function reauthenticateByPasskey(): Promise<void> {
  return provePasskey('/api/v1/owner/auth/reauthenticate');
}

async function provePasskey(path: string): Promise<void> {
  const options = await ask<Schemas['PasskeyRequestOptions']>('/api/v1/public/auth/passkey/options', {
    method: 'POST',
  });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...options, allowCredentials: [] });
  const passkey = await answerOf<Schemas['PasskeyAssertion']>(navigator.credentials.get({ publicKey }));
  noteSession((await ask<WireLogin>(path, { method: 'POST', body: { passkey } })).session_expires_at);
}

/** What the authenticator answered, as the service reads it. Why it did not is shown like a refusal of the service. */
async function answerOf<Answer>(asked: Promise<Credential | null>): Promise<Answer> {
  try {
    const credential = await asked;
    if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.');
    return credential.toJSON() as Answer;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    throw new RefusedRequest({ status: -1, ...(REASONS[name] ?? FAILED) });
  }
}
