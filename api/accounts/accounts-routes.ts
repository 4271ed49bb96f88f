import type { Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { loginRoute } from './login-route.ts';
import { logoutRoute } from './logout-route.ts';
import { registerRoute } from './register-route.ts';

/** POST login, logout and register. */
export function accountsRoutes(platform: Platform): readonly Route[] {
  return [loginRoute(platform), logoutRoute(platform), registerRoute(platform)];
}
