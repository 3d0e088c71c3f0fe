import { type Attributes, type Child, h } from './elements.ts';
import { isProven } from './proof.ts';

/**
 * A link that downloads an export. If the login is too long ago, the reader logs in again in a dialog first, and then the
 * download begins: a link alone would only save the refusal.
 */
export function exportLink(href: string, attributes: Attributes, ...words: readonly Child[]) {
  const link = h('a', { ...attributes, href }, ...words);
  let isConfirmed = false;
  link.addEventListener('click', (event) => {
    if (isConfirmed) {
      isConfirmed = false;
      return;
    }
    event.preventDefault();
    void mayDownload(href).then((may) => {
      if (!may) return;
      isConfirmed = true;
      link.click();
    });
  });
  return link;
}

/** A reply to HEAD has no body that names its code. What else is refused than a login, the download itself shows. */
async function mayDownload(href: string): Promise<boolean> {
  const status = await fetch(href, { method: 'HEAD' }).then(
    (reply) => reply.status,
    () => null,
  );
  return status !== 401 || isProven();
}
