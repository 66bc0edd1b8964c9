import { ApiError, type ResourceName, forbidden } from '../../api/status/index.ts';

/**
 * What a user may not ask for at all: 403 before any handler is reached. Upstream marks these answers, and not those of
 * admission or of a handler, as nothing for a browser to guess at.
 */
export class AccessRefused extends ApiError {}

export const accessRefused = (resource: ResourceName, name: string, why: string): AccessRefused =>
  new AccessRefused(forbidden(resource, name, why).status);
