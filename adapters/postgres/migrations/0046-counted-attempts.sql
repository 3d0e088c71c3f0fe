-- What is counted in fixed windows: it is more than attempts to log in.

comment on table app.login_attempts is
  'Attempts in a fixed window, that failed or are under way, by a hash of what is counted: logins to an account, of a known device or network, password changes of an owner, new accounts of a network and of all.';
