/**
 * Beginning of a script that needs the time. The time is that of the server, so replicas need no common
 * clock.
 */
export const NOW = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;
