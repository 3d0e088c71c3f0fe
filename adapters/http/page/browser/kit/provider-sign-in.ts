import { h } from './elements.ts';

const RETURN = 'address-after-sign-in';

/** Whether owners can sign in through an identity provider; the document says so. */
export function hasProvider(): boolean {
  const ways = document.querySelector<HTMLMetaElement>('meta[name="sign-in"]')?.content ?? '';
  return ways.split(' ').includes('provider');
}

/**
 * A link to the identity provider, which sends the browser back to this view.
 * @param asked `fresh`: the person has to log in there again, even if the provider knows the browser; `factor`: with a
 * second factor
 */
export function providerLink(words: string, asked: readonly ('fresh' | 'factor')[] = []): HTMLElement {
  const query = asked.map((each) => `${each}=true`).join('&');
  const link = h('a', { class: 'button', href: `/api/v1/public/auth/idp${query && `?${query}`}` }, words);
  link.addEventListener('click', () => sessionStorage.setItem(RETURN, location.hash));
  return link;
}

/** The address of the view from which the reader went to the provider. */
export function addressAfterSignIn(): string {
  const address = sessionStorage.getItem(RETURN) ?? '';
  sessionStorage.removeItem(RETURN);
  return address.startsWith('#/') && !/^#\/sign/.test(address) ? address : '#/overview';
}
