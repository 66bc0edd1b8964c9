/**
 * How a client that is generated from the documents shows who it is: `BearerToken`, the text of the header
 * `authorization`, scheme and token (`Bearer …`).
 */
export const securityDefinitions = {
  BearerToken: {
    description: 'Bearer Token authentication',
    type: 'apiKey',
    name: 'authorization',
    in: 'header',
  },
} as const;

/** Of every operation: any of these is enough. */
export const security = [{ BearerToken: [] }] as const;
