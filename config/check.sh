#!/bin/sh
# What `make check` runs: everything is tried, and the end says what failed.
PATH="$PWD/.venv/bin:$PATH"
failed=""

step() {
  name=$1
  shift
  if output=$("$@" 2>&1); then
    echo "ok      $name"
  else
    echo "FAILED  $name"
    echo "$output" | sed 's/^/        /'
    failed="$failed, $name"
  fi
}

var=$(mktemp -d)
trap 'rm -rf "$var"' EXIT
export TASKBOARD_VAR="$var" TASKBOARD_DOTENV=/dev/null DATABASE_URL="sqlite:///$var/db.sqlite3" PYTHONWARNINGS=error
unset DJANGO_SETTINGS_MODULE

production() {
  TASKBOARD_ENV=production ALLOWED_HOSTS=tasks.example.org \
    SECRET_KEY=$(python -c 'import secrets; print(secrets.token_urlsafe(60))') \
    python manage.py check --deploy --fail-level WARNING
}

plain_pip() {
  ! grep -nE '^(--|-[a-z])|://|@ ?file|\.whl' requirements.txt requirements-dev.txt
}

forbidden() {
  ! git grep --untracked -nIE '\b(TODO|FIXME|XXX|HACK)\b|breakpoint\(\)|pdb\.set_trace' -- . ':!config/check.sh' ':!CONTRIBUTING.md'
}

step "format" ruff format --check .
step "lint" ruff check .
step "types" env -u PYTHONWARNINGS mypy taskboard approvals config
step "production settings" production
step "migrations" python manage.py makemigrations --check --dry-run
step "import arrows" env -u PYTHONWARNINGS lint-imports
step "templates" env -u PYTHONWARNINGS djlint --lint --quiet templates
step "lock files" plain_pip
step "installed packages" env -u PYTHONWARNINGS python -m pip check
step "left-overs" forbidden

if [ -n "$failed" ]; then
  echo "Failed:${failed#,}. (make format mends the layout.)"
  exit 1
fi
