import type { Operation } from './document.ts';

/**
 * Operations that random requests do not get to: a provider must approve, a circuit must be healthy for a day, a mail or an
 * authenticator has the code, an operator must have reset factors, or the path needs the id of a webhook, a passkey or an account that the campaign has none of.
 * The campaigns of the contract and of the browser, and the suites over HTTP, let them succeed.
 */
const UNREACHABLE = [
  'cancelFactorReset',
  'finishProviderLogin',
  'endProviderSessions',
  'pollDeviceSignIn',
  'resolveCircuit',
  'readAccount',
  'resumeAccount',
  'suspendAccount',
  'setTier',
  'readAgentEvents',
  'requestEmailConfirmation',
  'addPasskey',
  'beginPasskey',
  'removePasskey',
  'renamePasskey',
  'renewRecoveryCodes',
  'removeTotp',
  'confirmTotp',
  'removeWebhook',
  'readWebhook',
  'changeWebhook',
  'listWebhookDeliveries',
  'resendWebhookDelivery',
  'resendFailedDeliveries',
  'rotateWebhookSecret',
  'testWebhook',
  'confirmEmail',
  'logInByPasskey',
  'beginPasskeyLogin',
  'confirmPasswordReset',
];

/** How often each operation answered with each status. */
export class Coverage {
  readonly #seen = new Map<string, Map<number, number>>();
  #requests = 0;

  count({ id }: Operation, status: number): void {
    const statuses = this.#seen.get(id) ?? new Map<number, number>();
    this.#seen.set(id, statuses);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.#requests += 1;
  }

  get requests(): number {
    return this.#requests;
  }

  /** A line for each operation: the number of replies by status, and the documented statuses that did not occur. */
  table(operations: readonly Operation[]): string {
    const lines = operations.map((operation) => {
      const seen = [...(this.#seen.get(operation.id) ?? [])].toSorted(([a], [b]) => a - b);
      const never = this.neverSeen(operation);
      const missing = never.length > 0 ? `   never: ${never.join(' ')}` : '';
      return `${operation.id.padEnd(24)} ${seen.map(([status, times]) => `${status}:${times}`).join(' ')}${missing}`;
    });
    return lines.join('\n');
  }

  /** Documented statuses that did not occur, without 5xx, which must not occur. */
  neverSeen({ id, replies }: Operation): readonly number[] {
    return [...replies.keys()].filter((status) => status < 500 && !this.#seen.get(id)?.has(status));
  }

  /** Operations that never answered with a success. */
  withoutSuccess(operations: readonly Operation[]): readonly string[] {
    const hasSuccess = ({ id }: Operation) =>
      [...(this.#seen.get(id) ?? new Map()).keys()].some((status) => status < 400);
    return operations
      .filter((operation) => !hasSuccess(operation) && !UNREACHABLE.includes(operation.id))
      .map(({ id }) => id);
  }
}
