/**
 * Authentication of clients that are generated from the documents: the header `authorization`, whose value is
 * the scheme and the token (`Bearer …`).
 */
export const securityDefinitions = {
  BearerToken: {
    description: 'Bearer Token authentication',
    type: 'apiKey',
    name: 'authorization',
    in: 'header',
  },
} as const;

/** Security requirements of every operation. A request has to meet only one of them. */
export const security = [{ BearerToken: [] }] as const;
