import { ApiError, type ResourceName, forbidden } from '../../../api/status/index.ts';

/**
 * A 403 raised before any handler runs. Upstream marks these responses, unlike a 403 of admission or of a handler, with
 * `x-content-type-options: nosniff`.
 */
export class AccessRefused extends ApiError {}

/** Returns the 403 for a resource that the user may not access; `why` completes the message. */
export const accessRefused = (resource: ResourceName, name: string, why: string): AccessRefused =>
  new AccessRefused(forbidden(resource, name, why).status);
