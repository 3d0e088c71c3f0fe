import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../infrastructure/embedded-postgres/supervisor.ts';
import { startService } from '../../../scripts/demo/service-process.ts';
import { openMailbox } from '../../harness/mailbox.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { closeOnSignal } from '../stage/interruption.ts';
import { register } from './sign-in.ts';

/** A service of its own with an account, whose mails arrive here. */
export interface MailingStage {
  readonly url: string;
  readonly owner: { readonly email: string; readonly password: string };
  /** The link in the next mail that leads there, without the address of the service. */
  nextLink(purpose: 'reset' | 'confirm'): Promise<string>;
  close(): Promise<void>;
}

const PATIENCE = 120;

/** Starts an empty service that sends mail, and opens one account. */
export async function openMailingStage(): Promise<MailingStage> {
  const folder = makeThrowawayFolder('browser-mail');
  const [mailbox, port] = [await openMailbox(), await freePort()];
  const url = `http://localhost:${port}`;
  let service: Awaited<ReturnType<typeof startService>> | undefined;
  const close = async () => {
    await Promise.all([service?.stop(), mailbox.close()]);
    removeThrowawayFolder(folder, folder);
  };
  closeOnSignal(close);
  const owner = { email: 'forgetful@example.org', password: 'four plain words, spaced' };
  let read = 0;
  try {
    service = await startService(folder, port, {
      PUBLIC_URL: url,
      SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
      MAIL_FROM: 'stancebook@example.org',
    });
    await register(url, owner);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url,
    owner,
    close,
    async nextLink(purpose) {
      for (let looks = 0; looks < PATIENCE; looks += 1) {
        for (const { text } of mailbox.mails.slice(read)) {
          read += 1;
          const [link] = new RegExp(`/#/${purpose}/[\\w-]+`).exec(text) ?? [];
          if (link) return link;
        }
        await sleep(500);
      }
      throw new Error(`No mail with a link to ${purpose} arrived.`);
    },
  };
}
