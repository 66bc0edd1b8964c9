import { ApiError, type ResourceName, forbidden } from '../../../api/status/index.ts';

/**
 * Thrown to reject a request with 403 before any handler runs. Upstream adds the header
 * `x-content-type-options: nosniff` to these responses, unlike to a 403 of admission or of a handler.
 */
export class AccessDenied extends ApiError {}

/** Returns the 403 for a resource that the user may not access. `why` completes the message. */
export const accessDenied = (resource: ResourceName, name: string, why: string): AccessDenied =>
  new AccessDenied(forbidden(resource, name, why).status);
