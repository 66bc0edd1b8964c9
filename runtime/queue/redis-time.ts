/** Beginning of a script that needs the time: the server's, so that replicas need not agree on the clock. */
export const NOW = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;
