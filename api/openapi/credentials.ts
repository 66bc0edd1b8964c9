/**
 * How clients generated from the documents authenticate: with the header `authorization`, whose value is the
 * scheme and the token (`Bearer …`).
 */
export const securityDefinitions = {
  BearerToken: {
    description: 'Bearer Token authentication',
    type: 'apiKey',
    name: 'authorization',
    in: 'header',
  },
} as const;

/** Security of every operation; one of these suffices. */
export const security = [{ BearerToken: [] }] as const;
