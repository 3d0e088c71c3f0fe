/** How authenticators know an owner (WebAuthn 5.4.3, `user.id`): the 16 bytes of the owner_id, in base64url. */
export function userHandle(owner_id: string): string {
  return Buffer.from(owner_id.replaceAll('-', ''), 'hex').toString('base64url');
}
